import type { JSX } from 'preact';
import type { LogEntry } from '../../../src/model/decision';
import { originOfUrl } from '../../../src/model/origin';
import { DECLARATION_TIME } from '../../../recording/requests';
import type { HeaderLine } from '../../request-events';
import { carriesRegistration, type Hop } from '../data/request-tree';
import { sourceIdOf } from '../tables/log';
import { whatOf } from '../words/what';
import { eligibleWords, howOf, lacksHeader } from '../explain/eligible';
import { t } from '../../i18n';
import { routeTo } from '../state/route';
import { bare } from '../words/words';
import { Card, Definitions, Moment } from '../ui/basics';
import { Why } from './records/why';

/** One request or redirect: what it was eligible for, what it led to and why, and its headers. */
export function RequestDetails({
  hop,
  entry,
}: {
  readonly hop: Hop;
  readonly entry: LogEntry | undefined;
}): JSX.Element {
  const sourceId = entry === undefined ? null : sourceIdOf(entry);
  return (
    <>
      <Card title={`${hop.method} ${bare(hop.url)}`}>
        <Definitions
          of={[
            [t('requests_eligible'), <span id="eligible">{eligibleWords(hop)}</span>],
            [
              t('requests_led_to'),
              entry === undefined ? (
                <span id="led-to">{nothingWords(hop)}</span>
              ) : (
                <a id="led-to" href={routeTo(['log', entry.id])}>
                  {t('requests_entry', { what: whatOf(entry), id: entry.id })}
                </a>
              ),
            ],
            [
              t('tables_column_source'),
              sourceId === null ? null : <a href={routeTo(['sources', sourceId])}>{sourceId}</a>,
            ],
            [t('tables_column_status'), hop.error ?? hop.status],
            [t('tables_column_time'), <Moment key="t" time={hop.time} />],
            [t('requests_made_by'), hop.isOwn ? t('requests_own') : hop.type],
            [t('requests_initiator'), hop.initiator === null || hop.isOwn ? null : bare(hop.initiator)],
            [t('tables_column_page'), hop.page === null ? t('requests_no_page') : bare(hop.page)],
            [t('requests_tab'), hop.tabId < 0 ? t('requests_no_tab') : placeOf(hop)],
          ]}
        />
      </Card>
      {entry !== undefined && <Why entry={entry} />}
      <Headers title={t('requests_request_headers')} of={hop.requestHeaders} />
      <Headers title={t('requests_response_headers')} of={hop.responseHeaders} />
    </>
  );
}

const placeOf = ({ tabId, frameId, isOwn }: Hop): string =>
  isOwn ? String(tabId) : t('requests_frame', { tab: String(tabId), frame: String(frameId) });

/** In ms: a little longer than a source waits for its declaration. */
const DECIDED_WITHIN = DECLARATION_TIME + 5000;

function nothingWords(hop: Hop): string {
  const { decision, status, page, answeredAt, type } = hop;
  if (hop.error !== null) return t('requests_no_answer');
  if (status === null) return t('requests_awaited');
  if (!carriesRegistration(hop))
    return lacksHeader(hop) ? t('requests_not_told', { how: howOf(hop) }) : t('requests_carried_nothing');
  if (hop.isUnused) return t('requests_unused');
  if (originOfUrl(hop.url) === null) return t('requests_insecure');
  if (decision === null)
    return t(
      Date.now() - (answeredAt ?? 0) < DECIDED_WITHIN ? 'requests_undecided' : 'requests_not_decided_yet',
    );
  return t(page === null && type === 'main_frame' ? 'requests_on_no_page' : 'requests_not_recorded');
}

const Headers = ({
  title,
  of,
}: {
  readonly title: string;
  readonly of: readonly HeaderLine[];
}): JSX.Element => (
  <Card title={title}>
    {of.length === 0 ? (
      <p class="soft">{t('requests_no_headers')}</p>
    ) : (
      <dl class="headers">
        {of.map(({ name, value }, index) => (
          <div key={index}>
            <dt>
              <code>{name.toLowerCase()}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    )}
  </Card>
);
