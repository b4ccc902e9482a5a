import { forgetConversions } from './forget-conversions';
import { recordsOfReport } from '../../src/limits/attribution-limits';
import { decisionsOf, type LogEntry } from '../../src/model/decision';
import type { FinishedReport, InternalId, RateLimitRecord, Report, Source } from '../../src/model/records';
import { siteOf } from '../../src/parsing/site';
import { destinationsInHeader, sitesInBody, sitesOfReport } from './named-sites';
import type { Rows, TableName, ReadTransaction, Transaction } from '../../src/store/store';

/** Which part of the records to erase: some sites, or a span of time (both ends included). */
export type ErasingScope =
  | { readonly kind: 'sites'; readonly sites: readonly string[] }
  | { readonly kind: 'time'; readonly from: number; readonly to: number };

/** A row before it was erased, or changed because another row was. */
export interface ErasedRow {
  readonly table: TableName;
  readonly row: Rows[TableName];
  readonly was: 'deleted' | 'changed';
}

/** The sites and the time of each table's rows. Spends stay, without their site: a budget must not restart. */
const belonging: {
  readonly [Name in 'sources' | 'undrawn' | 'reports' | 'finished' | 'rateLimits' | 'log']: {
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

/** When the reported event happened. */
function timeOfReport({ event, aggregatable, reportTime }: Report): number {
  return event?.triggerTime ?? aggregatable?.triggerTime ?? reportTime;
}

/** Erases what belongs to a site or a time, and what depends on it. */
export async function erasePart(tx: Transaction, scope: ErasingScope): Promise<readonly ErasedRow[]> {
  const erased: ErasedRow[] = [];
  const remove = <Name extends TableName>(table: Name, row: Rows[Name]): void => {
    erased.push({ table, row, was: 'deleted' });
    tx.table(table).delete(row.id);
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
    for (const row of rows) remove(table, row);
    return rows;
  };
  const siteBefore = await sitesOfSourcesInLog(tx);
  const sourceIds = new Set((await erase('sources')).map(({ id }) => id));
  await erase('undrawn');
  if (scope.kind === 'time') erased.push(...(await forgetTime(tx, scope)));
  // Without its source, a report could not be explained.
  const ofSource = ({ event, aggregatable, sourceSite }: Report): boolean => {
    const id = event?.sourceId ?? aggregatable?.sourceId ?? null;
    return (
      id !== null &&
      (sourceIds.has(id) ||
        (scope.kind === 'sites' && scope.sites.includes(sourceSite ?? siteBefore.get(id) ?? '')))
    );
  };
  const pending = await erase('reports', ofSource);
  const finished = await erase('finished', ({ report }) => ofSource(report));
  // The debug copy of a report has the same id.
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
  for (const spend of await tx.table('spends').latest(Infinity)) {
    const { contextSite, time } = spend;
    if (!(scope.kind === 'sites' ? scope.sites.includes(contextSite) : isWithin(scope, time))) continue;
    erased.push({ table: 'spends', row: spend, was: 'changed' });
    tx.table('spends').put({ ...spend, contextSite: '' });
  }
  return erased;
}

const isWithin = ({ from, to }: Extract<ErasingScope, { kind: 'time' }>, time: number): boolean =>
  time >= from && time <= to;

/** Where each logged source was registered, including deleted ones: reports of older versions do not say. */
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

/** Takes conversions of the erased time out of the sums of sources with `trigger_specs`. */
async function forgetTime(
  tx: Transaction,
  scope: Extract<ErasingScope, { kind: 'time' }>,
): Promise<readonly ErasedRow[]> {
  const erased: ErasedRow[] = [];
  for (const source of await tx.table('sources').latest(Infinity)) {
    const forgotten = await forgetConversions(tx, source, ({ time }) => isWithin(scope, time));
    if (forgotten === null) continue;
    erased.push({ table: 'sources', row: source, was: 'changed' });
    tx.table('sources').put(forgotten.source);
    for (const report of forgotten.changed) {
      const before = await tx.table('reports').get(report.id);
      if (before !== undefined) erased.push({ table: 'reports', row: before, was: 'changed' });
      tx.table('reports').put(report);
    }
    for (const id of forgotten.gone) erased.push(...(await eraseReport(tx, id)));
  }
  return erased;
}

/** Erases a report and its rate-limit record. */
async function eraseReport(tx: Transaction, id: InternalId): Promise<readonly ErasedRow[]> {
  const report = await tx.table('reports').get(id);
  const records = await recordsOfReport(tx, id);
  tx.table('reports').delete(id);
  for (const record of records) tx.table('rateLimits').delete(record.id);
  return [
    ...(report === undefined ? [] : [{ table: 'reports' as const, row: report, was: 'deleted' as const }]),
    ...records.map((row) => ({ table: 'rateLimits' as const, row, was: 'deleted' as const })),
  ];
}
