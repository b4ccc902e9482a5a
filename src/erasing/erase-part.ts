import { forgetConversions } from './forget-conversions';
import { recordsOfReport } from '../limits/attribution-limits';
import { decisionsOf, type LogEntry } from '../model/decision';
import type { FinishedReport, InternalId, RateLimitRecord, Report, Source } from '../model/records';
import { siteOf } from '../parsing/origin';
import { destinationsInHeader, sitesInBody, sitesOfReport } from '../reports/named-sites';
import type { Rows, TableName, ReadTransaction, Transaction } from '../store/store';

/** A part of what was recorded: of some sites, or from a span of time (both ends included). */
export type ErasingScope =
  | { readonly kind: 'sites'; readonly sites: readonly string[] }
  | { readonly kind: 'time'; readonly from: number; readonly to: number };

/** A row as it was before it was erased, or changed because something else was. */
export interface ErasedRow {
  readonly table: TableName;
  readonly row: Rows[TableName];
  readonly was: 'deleted' | 'changed';
}

/**
 * What of each table belongs to a site, and to a time. Spends stay: what was told was told, and a budget must not begin anew by erasing
 * a part.
 */
const belonging: {
  readonly [Name in 'sources' | 'undrawn' | 'reports' | 'finished' | 'rateLimits' | 'log']: {
    readonly sites: (row: Rows[Name]) => readonly string[];
    readonly time: (row: Rows[Name]) => number;
  };
} = {
  sources: { sites: sitesOfSource, time: ({ time }) => time },
  // Otherwise a report of a source that was erased would be drawn, and leave, when its window closes.
  undrawn: { sites: ({ source }) => sitesOfSource(source), time: ({ source }) => source.time },
  reports: { sites: sitesOfReport, time: timeOfReport },
  finished: {
    sites: ({ report }: FinishedReport) => sitesOfReport(report),
    time: ({ report }) => timeOfReport(report),
  },
  rateLimits: {
    sites: ({ sourceSite, destination, reportingSite }: RateLimitRecord) => [
      sourceSite,
      destination,
      reportingSite,
    ],
    time: ({ time }) => time,
  },
  log: { sites: sitesOfEntry, time: ({ time }) => time },
};

function sitesOfSource({ sourceSite, reportingOrigin, registration }: Source): readonly string[] {
  return [sourceSite, siteOf(reportingOrigin), ...registration.destinations];
}

/** With what a source's header names, and the report that a conversion would have made. */
function sitesOfEntry(entry: LogEntry): readonly string[] {
  const decisions = entry.kind === 'trigger' ? decisionsOf(entry.decision) : [];
  return [
    entry.contextSite,
    siteOf(entry.reportingOrigin),
    ...destinationsInHeader(entry.header),
    ...decisions.flatMap((decision) => ('report' in decision ? sitesInBody(decision.report) : [])),
  ];
}

/** When what it reports happened. */
function timeOfReport({ event, reportTime }: Report): number {
  return event?.triggerTime ?? reportTime;
}

/** Erases what belongs to a site or a time, and what without it nothing could explain. */
export async function erasePart(tx: Transaction, scope: ErasingScope): Promise<readonly ErasedRow[]> {
  const erased: ErasedRow[] = [];
  const remove = async <Name extends TableName>(table: Name, row: Rows[Name]): Promise<void> => {
    erased.push({ table, row, was: 'deleted' });
    await tx.table(table).delete(row.id);
  };
  const erase = async <Name extends keyof typeof belonging>(
    table: Name,
    also: (row: Rows[Name]) => boolean = () => false,
  ): Promise<readonly Rows[Name][]> => {
    const { sites, time } = belonging[table];
    const rows = (await tx.table(table).latest(Infinity)).filter(
      (row) =>
        also(row) ||
        (scope.kind === 'sites'
          ? sites(row).some((site) => scope.sites.includes(site))
          : isWithin(scope, time(row))),
    );
    for (const row of rows) await remove(table, row);
    return rows;
  };
  const siteBefore = await sitesOfSourcesInLog(tx);
  const sourceIds = new Set((await erase('sources')).map(({ id }) => id));
  await erase('undrawn');
  if (scope.kind === 'time') erased.push(...(await forgetTime(tx, scope)));
  // A report goes with its source: nothing could explain it any more.
  const ofSource = ({ event, sourceSite }: Report): boolean =>
    event !== null &&
    (sourceIds.has(event.sourceId) ||
      (scope.kind === 'sites' && scope.sites.includes(sourceSite ?? siteBefore.get(event.sourceId) ?? '')));
  const pending = await erase('reports', ofSource);
  const finished = await erase('finished', ({ report }) => ofSource(report));
  // The debug copy of a report bears its id, and goes with it.
  const ids = new Set(
    [...pending, ...finished.map(({ report }) => report)]
      .filter(({ event }) => event !== null)
      .flatMap(reportIdOf),
  );
  const isCopy = (report: Report): boolean =>
    report.event === null && reportIdOf(report).some((id) => ids.has(id));
  await erase('reports', isCopy);
  await erase('finished', ({ report }) => isCopy(report));
  await erase('rateLimits');
  await erase('log');
  return erased;
}

const isWithin = ({ from, to }: Extract<ErasingScope, { kind: 'time' }>, time: number): boolean =>
  time >= from && time <= to;

/** Where each source was registered, also those that are gone: reports of older versions do not say. */
async function sitesOfSourcesInLog(tx: ReadTransaction): Promise<ReadonlyMap<InternalId, string>> {
  const entries = await tx.table('log').latest(Infinity);
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === 'source' && entry.decision.kind === 'stored'
        ? [[entry.decision.sourceId, entry.contextSite] as const]
        : [],
    ),
  );
}

function reportIdOf({ body }: Report): readonly string[] {
  const id = typeof body === 'object' && body !== null && 'report_id' in body ? body.report_id : null;
  return typeof id === 'string' ? [id] : [];
}

/** Sources with `trigger_specs` add up values over time; those of the erased time are no part of the sum any more. */
async function forgetTime(
  tx: Transaction,
  scope: Extract<ErasingScope, { kind: 'time' }>,
): Promise<readonly ErasedRow[]> {
  const erased: ErasedRow[] = [];
  for (const source of await tx.table('sources').latest(Infinity)) {
    const forgotten = await forgetConversions(tx, source, ({ time }) => isWithin(scope, time));
    if (forgotten === null) continue;
    erased.push({ table: 'sources', row: source, was: 'changed' });
    await tx.table('sources').put(forgotten.source);
    for (const report of forgotten.changed) {
      const before = await tx.table('reports').get(report.id);
      if (before !== undefined) erased.push({ table: 'reports', row: before, was: 'changed' });
      await tx.table('reports').put(report);
    }
    for (const id of forgotten.gone) erased.push(...(await eraseReport(tx, id)));
  }
  return erased;
}

/** Erases a report and what counts it. */
async function eraseReport(tx: Transaction, id: InternalId): Promise<readonly ErasedRow[]> {
  const report = await tx.table('reports').get(id);
  const records = await recordsOfReport(tx, id);
  await tx.table('reports').delete(id);
  for (const record of records) await tx.table('rateLimits').delete(record.id);
  return [
    ...(report === undefined ? [] : [{ table: 'reports' as const, row: report, was: 'deleted' as const }]),
    ...records.map((row) => ({ table: 'rateLimits' as const, row, was: 'deleted' as const })),
  ];
}
