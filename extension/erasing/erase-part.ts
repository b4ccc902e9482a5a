import { forgetConversions } from './forget-conversions';
import { deleteSources, recount } from '../../src/attribution/remove-sources';
import { pairKey } from '../../src/limits/attribution-limits';
import { decisionsOf, type LogEntry } from '../../src/model/decision';
import type { Limits } from '../../src/model/limits';
import type { FinishedReport, Report, Source } from '../../src/model/records';
import { siteOf } from '../../src/model/site';
import { destinationsInHeader, mentions, sitesInBody, sitesOfReport, withoutSites } from './named-sites';
import { countedFor, removeReport } from '../../src/reports/pending';
import type { Draft } from '../../src/store/draft';
import { moment } from '../../src/model/units';
import { candidateKeysOf, type IdOf, type Rows } from '../../src/store/rows';
import type { AllRows } from './all-rows';
import { eraseSpends } from './erase-spends';
import { eraseUses } from './erase-uses';
import type { ErasingScope } from './scope';

export type { ErasingScope } from './scope';

/** The sites and the time of each table's rows. */
const belonging: {
  readonly [Name in 'sources' | 'undrawn' | 'reports' | 'finished' | 'log']: {
    readonly sites: (row: Rows[Name]) => readonly string[];
    readonly time: (row: Rows[Name]) => number;
  };
} = {
  sources: { sites: sitesOfSource, time: ({ time }) => time },
  // Otherwise the closing window would draw and send a report of an erased source.
  undrawn: { sites: ({ source }) => sitesOfSource(source), time: ({ source }) => source.time },
  reports: { sites: sitesOfReport, time: timeOfReport },
  finished: {
    sites: ({ report }: FinishedReport) => sitesOfReport(report),
    time: ({ report }) => timeOfReport(report),
  },
  log: { sites: sitesOfEntry, time: ({ time }) => time },
};

function sitesOfSource({ sourceSite, reportingOrigin, registration }: Source): readonly string[] {
  return [sourceSite, siteOf(reportingOrigin), ...registration.destinations];
}

/** Includes the sites in a source's header and in the report that a conversion would have made. */
function sitesOfEntry(entry: LogEntry): readonly string[] {
  const decisions = entry.kind === 'trigger' ? decisionsOf(entry.decision) : [];
  return [
    entry.contextSite,
    siteOf(entry.reportingOrigin),
    ...destinationsInHeader(entry.header),
    ...decisions.flatMap((decision) => ('report' in decision ? sitesInBody(decision.report) : [])),
  ];
}

/** Of an event-level report, its source's: true and fake reports must go and stay alike, or the one that stays tells which it is. */
function timeOfReport({ event, aggregatable, reportTime }: Report): number {
  return event?.sourceTime ?? aggregatable?.triggerTime ?? reportTime;
}

/** Erases in a draft what belongs to a site or a time, and what depends on it. @param rows all that the store has */
export function erasePart(draft: Draft, rows: AllRows, scope: ErasingScope, limits: Limits): void {
  const erase = <Name extends keyof typeof belonging>(
    table: Name,
    remove: (row: Rows[Name]) => void,
    also: (row: Rows[Name]) => boolean = () => false,
  ): readonly Rows[Name][] => {
    const { sites, time } = belonging[table];
    const erased = (rows[table] as readonly Rows[Name][])
      // As earlier steps left them.
      .flatMap(({ id }) => draft.get(table, id as IdOf<Name>) ?? [])
      .filter(
        (row) =>
          also(row) ||
          (scope.kind === 'sites'
            ? sites(row).some((site) => scope.sites.includes(site))
            : isWithin(scope, time(row))),
      );
    for (const row of erased) remove(row);
    return erased;
  };
  const sources = erase('sources', ({ id }) => deleteSources(draft, [id]));
  const sourceIds = new Set(sources.map(({ id }) => id));
  // Their scopes must not stay.
  for (const key of new Set(sources.flatMap(candidateKeysOf))) recount(draft, key, moment(0));
  erase('undrawn', ({ id }) => draft.delete('undrawn', id));
  if (scope.kind === 'time') forgetTime(draft, rows.sources, scope);
  // Without its source, a report could not be explained.
  const ofSource = ({ event, aggregatable, sourceSite }: Report): boolean => {
    const id = event?.sourceId ?? aggregatable?.sourceId ?? null;
    return (
      id !== null && (sourceIds.has(id) || (scope.kind === 'sites' && scope.sites.includes(sourceSite ?? '')))
    );
  };
  const pending = erase('reports', (report) => removeReport(draft, report), ofSource);
  const finished = erase(
    'finished',
    ({ id }) => draft.delete('finished', id),
    ({ report }) => ofSource(report),
  );
  // The debug copy of a report has the same id.
  const ids = new Set(
    [...pending, ...finished.map(({ report }) => report)]
      .filter(({ event }) => event !== null)
      .flatMap(reportIdOf),
  );
  const isCopy = (report: Report): boolean =>
    report.event === null && reportIdOf(report).some((id) => ids.has(id));
  erase('reports', (report) => removeReport(draft, report), isCopy);
  erase(
    'finished',
    ({ id }) => draft.delete('finished', id),
    ({ report }) => isCopy(report),
  );
  eraseUses(draft, rows, scope, limits);
  erase('log', ({ id }) => draft.delete('log', id));
  if (scope.kind === 'sites')
    for (const { id } of rows.log) {
      const entry = draft.get('log', id);
      const left = entry === undefined ? undefined : withoutSites(entry, scope.sites);
      if (left !== undefined && left !== entry) draft.put('log', left as LogEntry);
    }
  eraseSpends(draft, rows, scope);
}

/**
 * Whether erasing takes along a row of the inbox, or what is to become one.
 * @param time when it came; null if nobody saw it
 */
export const coversRow = (scope: ErasingScope, row: object, time: number | null): boolean =>
  scope.kind === 'sites' ? mentions(row, scope.sites) : time === null || isWithin(scope, time);

const isWithin = ({ from, to }: Extract<ErasingScope, { kind: 'time' }>, time: number): boolean =>
  time >= from && time <= to;

function reportIdOf({ body }: Report): readonly string[] {
  const id = typeof body === 'object' && body !== null && 'report_id' in body ? body.report_id : null;
  return typeof id === 'string' ? [id] : [];
}

/** Takes conversions of the erased time out of the sums of sources with `trigger_specs`. */
function forgetTime(
  draft: Draft,
  sources: readonly Source[],
  scope: Extract<ErasingScope, { kind: 'time' }>,
): void {
  for (const { id } of sources) {
    const source = draft.get('sources', id);
    const forgotten =
      source === undefined ? null : forgetConversions(draft, source, ({ time }) => isWithin(scope, time));
    if (forgotten === null) continue;
    draft.put('sources', forgotten.source);
    for (const report of forgotten.changed) draft.put('reports', report);
    for (const reportId of forgotten.gone) {
      const report = draft.get('reports', reportId);
      if (report !== undefined) eraseReport(draft, report);
    }
  }
}

/** Erases a report, and what a limit counts for it. */
function eraseReport(draft: Draft, report: Report): void {
  removeReport(draft, report);
  const pair = countedFor(report);
  const use = pair === null ? undefined : draft.get('pairUse', pairKey(pair));
  if (use === undefined) return;
  const attributions = use.attributions.filter((one) => one.report !== report.id);
  draft.put('pairUse', { ...use, attributions });
}
