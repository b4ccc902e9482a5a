import type { JSX } from 'preact';
import type { Source } from '../../../../src/model/records';
import { serializeSource } from '../../../../formats/registration/serialize';
import { channelCapacity } from '../../../../src/privacy/channel-capacity';
import { statusOf } from '../../tables/sources';
import type { ReportRow } from '../../data/report-row';
import { reportStatus } from '../../words/report-status';
import { rich, t } from '../../../i18n';
import { useTriggersOf, useRegistrationOf, useReportsOf } from '../../state/related';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { useRow } from '../../state/use-stored';
import { bare, showDecimal } from '../../words/words';
import { Card, Chip, Definitions, Empty, Json, Moment, NeedsDebugMode, Origin } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { filterDataOf } from '../../words/filter-data';
import { outcomeOf } from '../../words/outcome';
import { sourceMarkdown } from '../../explain/item-markdown';
import { ItemPage } from './item-page';
import { RegistrationDetails } from './registration';
import { OpenInWorkbench, Share } from './share';
import { SourceWhy } from './source-why';
import { States } from './states';
import { Timeline } from './timeline';

const tabs = [
  ['', t('source_tab_details')],
  ['why', t('source_tab_why')],
  ['timeline', t('source_tab_timeline')],
  ['states', t('tables_column_states')],
] as const;

/** `#/sources/17` and the tabs below it. */
export function SourcePage({ id, tab }: { readonly id: number; readonly tab: string }): JSX.Element {
  const source = useRow('sources', id);
  const page = (children: JSX.Element | null): JSX.Element => (
    <ItemPage table="sources" title={t('source_title', { id })} id={id} tabs={tabs} tab={tab}>
      {children}
    </ItemPage>
  );
  if (source === undefined) return page(null);
  if (source === null) return page(<Gone id={id} />);
  switch (tab) {
    case 'why':
      return page(<SourceWhy source={source} />);
    case 'timeline':
      return page(<Timeline source={source} />);
    case 'states':
      return page(<States source={source} />);
    default:
      return page(<Details source={source} />);
  }
}

/** For a source that is no longer stored. The log may still hold its registration. */
function Gone({ id }: { readonly id: number }): JSX.Element {
  const entry = useRegistrationOf(id);
  return (
    <>
      <p class="banner info">{t('source_gone')}</p>
      {entry === null && <Empty>{t('source_gone_from_log')}</Empty>}
      {entry != null && <RegistrationDetails entry={entry} />}
    </>
  );
}

function Details({ source }: { readonly source: Source }): JSX.Element {
  const { truth, overview } = useSession();
  const { registration } = source;
  const entry = useRegistrationOf(source.id);
  return (
    <>
      <div class="cards wide">
        <Card title={t('source_what')}>
          <Definitions
            of={[
              [t('tables_column_event_id'), String(registration.sourceEventId)],
              [
                t('tables_column_type'),
                source.sourceType === 'navigation' ? t('source_type_click') : t('source_type_view'),
              ],
              [
                t('tables_column_status'),
                truth ? <Chip tone={statusOf(source).tone}>{statusOf(source).words}</Chip> : null,
              ],
              [t('tables_column_source_origin'), <Origin key="o" of={source.sourceOrigin} />],
              [t('tables_column_destinations'), registration.destinations.map(bare).join(', ')],
              [t('tables_column_reporting_origin'), <Origin key="r" of={source.reportingOrigin} />],
              [t('tables_column_registered'), <Moment key="t" time={source.time} now={overview.now} />],
              [t('tables_column_expiry'), <Moment key="e" time={source.expiryTime} now={overview.now} />],
              [t('tables_column_priority'), String(registration.priority)],
              [
                t('tables_column_debug_key'),
                registration.debugKey === null ? t('source_no_debug_key') : String(registration.debugKey),
              ],
              [t('source_scopes'), source.attributionScopes?.values.join(', ') ?? t('source_none')],
              [
                t('tables_column_filter_data'),
                [...filterDataOf(source)].map(([key, values]) => `${key}: ${values.join(', ')}`).join('; '),
              ],
              [
                t('source_registration'),
                entry == null ? null : (
                  <a href={routeTo(['log', entry.id])}>{t('source_log_entry', { id: entry.id })}</a>
                ),
              ],
            ]}
          />
        </Card>
        <Card title={t('source_output')}>
          <Definitions
            of={[
              [
                t('tables_column_states'),
                <a key="s" href={routeTo(['sources', source.id, 'states'])}>
                  {String(source.states)}
                </a>,
              ],
              [t('tables_column_epsilon'), String(registration.eventLevelEpsilon)],
              [t('tables_column_rate'), String(source.randomizedTriggerRate)],
              [
                t('source_capacity'),
                t('source_bits', {
                  bits: showDecimal(channelCapacity(source.states, registration.eventLevelEpsilon)),
                }),
              ],
              [
                t('tables_column_max_reports'),
                t('source_reports_at_most', { n: registration.maxEventLevelReports }),
              ],
              [
                t('tables_column_trigger_data'),
                t('source_matching', { matching: registration.triggerDataMatching }),
              ],
              [t('source_counted'), truth ? t('source_reports_at_most', { n: source.reportCount }) : null],
              [
                t('tables_column_dedup_keys'),
                truth ? source.deduplicationKeys.map(String).join(', ') || t('source_none') : null,
              ],
            ]}
          />
          {!truth && <NeedsDebugMode what={t('source_hidden')} />}
        </Card>
      </div>
      <Share
        subject={{ sources: [source.id] }}
        name={`cointoss-source-${source.id}`}
        markdown={() => sourceMarkdown(source, t('source_title', { id: source.id }))}
      >
        <OpenInWorkbench
          as={source.sourceType}
          text={entry == null ? JSON.stringify(serializeSource(registration), null, 2) : entry.header}
        />
      </Share>
      <Related source={source} />
      <Card title={t('source_effective')}>
        <Json value={serializeSource(registration)} label={t('source_effective_label')} />
      </Card>
    </>
  );
}

function Related({ source }: { readonly source: Source }): JSX.Element {
  const { truth, overview } = useSession();
  const triggers = useTriggersOf(source.id);
  const reports = useReportsOf(source.id);
  return (
    <div class="cards wide">
      <Card title={t('source_conversions')}>
        {triggers?.length === 0 && <p class="soft">{t('source_no_conversion')}</p>}
        <ul class="issues">
          {triggers?.map((entry) => (
            <li key={entry.id}>
              {rich('source_conversion', {
                id: entry.id,
                link: linkTo(routeTo(['triggers', entry.id])),
                outcome: outcomeOf(entry, truth).words,
                when: <Moment time={entry.time} now={overview.now} />,
              })}
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t('tables_column_reports')}>
        {reports?.length === 0 && <p class="soft">{t('source_no_report')}</p>}
        <ul class="issues">
          {reports?.map((row) => (
            <li key={row.report.id}>
              {rich(truth ? reportMessage(row) : 'source_report', {
                id: row.report.id,
                link: linkTo(routeTo(['reports', row.report.id])),
                status: reportStatus(row),
                when: <Moment time={row.report.reportTime} now={overview.now} />,
              })}
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

function reportMessage({
  report,
}: ReportRow): 'source_report' | 'source_fake_report' | 'source_forced_report' {
  if (report.noise === 'forced') return 'source_forced_report';
  return report.event?.fake === true ? 'source_fake_report' : 'source_report';
}
