import type { JSX } from 'preact';
import type { Source } from '../../../src/model/records';
import { serializeSource } from '../../../src/registration/serialize';
import { channelCapacity } from '../../../src/privacy/channel-capacity';
import { statusOf } from '../data/tables/sources';
import { reportStatus } from '../data/tables/reports';
import { useConversionsOf, useRegistrationOf, useReportsOf } from '../lib/related';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { useRow } from '../lib/use-stored';
import { Card, Chip, Definitions, Empty, Json, Moment, NeedsDebugMode, Origin } from '../ui/basics';
import { outcomeOf } from '../explain/outcome';
import { ItemPage } from './item-page';
import { RegistrationDetails } from './registration';
import { SourceWhy } from './source-why';
import { States } from './states';
import { Timeline } from './timeline';

const tabs = [
  ['', 'Details'],
  ['why', 'Why no report?'],
  ['timeline', 'Timeline'],
  ['states', 'States'],
] as const;

/** `#/sources/17` and what is below it. */
export function SourcePage({ id, tab }: { readonly id: number; readonly tab: string }): JSX.Element {
  const source = useRow('sources', id);
  const page = (children: JSX.Element | null): JSX.Element => (
    <ItemPage table="sources" title={`Source ${id}`} id={id} tabs={tabs} tab={tab}>
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

/** A source that is not kept any more; the log may still know how it began. */
function Gone({ id }: { readonly id: number }): JSX.Element {
  const entry = useRegistrationOf(id);
  return (
    <>
      <p class="banner info">
        This source is no longer kept: it expired, another source won a conversion from it, a limit or newer
        scopes removed it, or it was erased.
      </p>
      {entry === null && <Empty>The log does not know it either.</Empty>}
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
        <Card title="What it is">
          <Definitions
            of={[
              ['Event id', String(registration.sourceEventId)],
              ['Type', source.sourceType === 'navigation' ? 'navigation (a click)' : 'event (a view)'],
              ['Status', truth ? <Chip tone={statusOf(source).tone}>{statusOf(source).words}</Chip> : null],
              ['Source origin', <Origin key="o" of={source.sourceOrigin} />],
              ['Destinations', registration.destinations.join(', ')],
              ['Reporting origin', <Origin key="r" of={source.reportingOrigin} />],
              ['Registered', <Moment key="t" time={source.time} now={overview.now} />],
              ['Expires', <Moment key="e" time={source.expiryTime} now={overview.now} />],
              ['Priority', String(registration.priority)],
              ['Debug key', registration.debugKey === null ? 'none' : String(registration.debugKey)],
              ['Attribution scopes', source.attributionScopes?.values.join(', ') ?? 'none'],
              [
                'Filter data',
                [...source.filterData].map(([key, values]) => `${key}: ${values.join(', ')}`).join('; '),
              ],
              [
                'Registration',
                entry == null ? null : <a href={routeTo(['log', entry.id])}>Log entry {entry.id}</a>,
              ],
            ]}
          />
        </Card>
        <Card title="What its output can tell">
          <Definitions
            of={[
              [
                'States',
                <a key="s" href={routeTo(['sources', source.id, 'states'])}>
                  {String(source.states)}
                </a>,
              ],
              ['ε', String(registration.eventLevelEpsilon)],
              ['Randomized rate', String(source.randomizedTriggerRate)],
              ['Channel capacity', `${channelCapacity(source.states, registration.eventLevelEpsilon)} bits`],
              ['At most', `${registration.maxEventLevelReports} reports`],
              ['Trigger data', `${registration.triggerDataMatching} matching`],
              ['Counted so far', truth ? `${source.reportCount} reports` : null],
              [
                'Deduplication keys',
                truth ? source.deduplicationKeys.map(String).join(', ') || 'none' : null,
              ],
            ]}
          />
          {!truth && <NeedsDebugMode what="Whether it was noised, and what it counted, stays hidden." />}
        </Card>
      </div>
      <Related source={source} />
      <Card title="The registration in effect, every default filled in">
        <Json value={serializeSource(registration)} label="Effective registration" />
      </Card>
    </>
  );
}

function Related({ source }: { readonly source: Source }): JSX.Element {
  const { truth, overview } = useSession();
  const conversions = useConversionsOf(source.id);
  const reports = useReportsOf(source.id);
  return (
    <div class="cards wide">
      <Card title="Conversions">
        {conversions?.length === 0 && <p class="soft">None met this source.</p>}
        <ul class="issues">
          {conversions?.map((entry) => (
            <li key={entry.id}>
              <a href={routeTo(['triggers', entry.id])}>Trigger {entry.id}</a>,{' '}
              {outcomeOf(entry, truth).words}, <Moment time={entry.time} now={overview.now} />
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Reports">
        {reports?.length === 0 && <p class="soft">There is none.</p>}
        <ul class="issues">
          {reports?.map((row) => (
            <li key={row.report.id}>
              <a href={routeTo(['reports', row.report.id])}>Report {row.report.id}</a>, {reportStatus(row)},
              due <Moment time={row.report.reportTime} now={overview.now} />
              {truth && row.report.event?.fake === true && ', fake'}
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
