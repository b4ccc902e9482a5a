import type { JSX } from 'preact';
import { chromiumLimits } from '../../../../src/model/limits';
import type { LogEntry } from '../../../../src/model/decision';
import type { Json as JsonValue } from '../../../../src/model/json';
import { parseJsonHeader } from '../../../../formats/registration/header';
import { serializeSource, serializeTrigger } from '../../../../formats/registration/serialize';
import { parseSource } from '../../../../formats/registration/source';
import { parseTrigger } from '../../../../formats/registration/trigger';
import { viaWords } from '../../tables/common';
import { sourceIdOf } from '../../tables/log';
import { whatOf } from '../../words/what';
import { t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { useRow } from '../../state/use-stored';
import { differenceWords } from '../../words/words';
import { Card, Definitions, Empty, Json, Moment, Origin } from '../../ui/basics';
import { registrationMarkdown } from '../../explain/item-markdown';
import { shownConditions } from '../../words/shown-conditions';
import type { RegisterAs } from '../../explain/workbench';
import { sourcesOf } from '../../data/snapshot/only-about';
import { ItemPage } from './item-page';
import { OpenInWorkbench, Share } from './share';
import { Why } from './why';

const tabs = [
  ['', t('registration_tab_why')],
  ['details', t('source_tab_details')],
] as const;

export function RegistrationPage({
  table,
  id,
  tab,
}: {
  readonly table: string;
  readonly id: number;
  readonly tab: string;
}): JSX.Element {
  const entry = useRow('log', id);
  const { truth } = useSession();
  const share = (shared: LogEntry): JSX.Element => (
    <Share
      subject={{ sources: sourcesOf(shared), entry: id }}
      name={`cointoss-${table}-${id}`}
      markdown={() => registrationMarkdown(shared, t('registration_title', { table, id }), truth)}
      isTruth={shared.kind === 'trigger'}
    >
      {shared.kind !== 'ignored' && <OpenInWorkbench as={registerAs(shared)} text={shared.header} />}
    </Share>
  );
  return (
    <ItemPage
      table={table}
      title={t('registration_title', { table, id })}
      id={id}
      tabs={tabs}
      tab={tab === 'details' ? tab : ''}
    >
      {entry === null && <Empty>{t('registration_gone')}</Empty>}
      {entry != null &&
        (tab === 'details' ? (
          <>
            <RegistrationDetails entry={entry} />
            {share(entry)}
          </>
        ) : (
          <Why entry={entry}>{share(entry)}</Why>
        ))}
    </ItemPage>
  );
}

function registerAs(entry: Exclude<LogEntry, { kind: 'ignored' }>): RegisterAs {
  if ((entry.kind === 'refused' ? entry.register : entry.kind) === 'trigger') return 'trigger';
  return 'sourceType' in entry && entry.sourceType === 'navigation' ? 'navigation' : 'event';
}

/** The origin of a registration, its header, and how the header was parsed. */
export function RegistrationDetails({ entry }: { readonly entry: LogEntry }): JSX.Element {
  const { overview, truth } = useSession();
  const sourceId = sourceIdOf(entry);
  const effective = effectiveRegistration(entry);
  const reports =
    truth && entry.kind === 'trigger' && entry.decision.kind === 'attributed' ? entry.decision.reports : [];
  return (
    <>
      <Card title={t('registration_origin')}>
        <Definitions
          of={[
            [t('tables_column_what'), whatOf(entry)],
            [t('tables_column_time'), <Moment key="t" time={entry.time} now={overview.now} />],
            [t('tables_column_page'), <Origin key="p" of={entry.contextOrigin} />],
            [t('registration_site'), <Origin key="s" of={entry.contextSite} />],
            [t('tables_column_reporting_origin'), <Origin key="r" of={entry.reportingOrigin} />],
            [
              t('tables_column_via'),
              entry.via === 'header' ? t('registration_via_header') : viaWords(entry.via),
            ],
            [
              t('tables_column_source'),
              sourceId === null ? null : (
                <a href={routeTo(['sources', sourceId])}>{t('source_title', { id: sourceId })}</a>
              ),
            ],
            [
              t('tables_column_reports'),
              reports.length === 0
                ? null
                : reports.map((id) => (
                    <a key={id} href={routeTo(['reports', id])}>
                      {t('report_title', { id })}{' '}
                    </a>
                  )),
            ],
            [t('registration_not_production'), shownConditions(entry, truth).map(differenceWords).join(', ')],
          ]}
        />
      </Card>
      <div class="cards wide">
        <Card title={t('registration_header')}>
          <Json value={entry.header} label={t('registration_header_label')} />
        </Card>
        {effective !== null && (
          <Card title={t('registration_effective')}>
            <Json value={effective} label={t('source_effective_label')} />
          </Card>
        )}
      </div>
    </>
  );
}

/** Null when the header registers nothing. */
function effectiveRegistration(entry: LogEntry): JsonValue {
  const json = parseJsonHeader(entry.header).value;
  if (json === null) return null;
  if (entry.kind === 'source') {
    const { value } = parseSource(json, entry.sourceType, chromiumLimits);
    return value === null ? null : serializeSource(value);
  }
  if (entry.kind !== 'trigger') return null;
  const { value } = parseTrigger(json, chromiumLimits);
  return value === null ? null : serializeTrigger(value);
}
