import type { Check } from '../../../../src/model/checks';
import type { LogEntry } from '../../../../src/model/decision';
import type { InternalId, Report } from '../../../../src/model/records';
import type { Spend } from '../../../../src/model/spend';
import { reportIdOf } from '../../../../formats/reports/event-level-report';
import type { Snapshot } from './snapshot';

type Tables = Snapshot['tables'];

/** The tables with new, consecutive ids in every reference: log entries with their sources, and spends, in their old order; reports by their due time. */
export function renumbered(tables: Tables): Tables {
  const { sources, reports, finished, spends, log } = tables;
  const all = [...reports, ...finished.map(({ report }) => report)];
  const old = new Set([
    ...[...sources, ...log].map(({ id }) => id),
    ...log.flatMap(sourceIdOf),
    ...spends.flatMap(({ sourceIds }) => sourceIds),
    ...all.flatMap(({ event }) => event?.sourceId ?? []),
  ]);
  const ids = inOrder([...old].sort((a, b) => a - b));
  const spendIds = inOrder(spends.map(({ id }) => id).sort((a, b) => a - b));
  const reportIds = inOrder([...all].sort(byDueTime).map(({ id }) => id));
  const idOf = (id: InternalId): InternalId => newId(ids, id);
  const withId = <Row extends { readonly id: InternalId }>(row: Row): Row => ({ ...row, id: idOf(row.id) });
  const renumber = (report: Report): Report => ({
    ...report,
    id: newId(reportIds, report.id),
    event: report.event === null ? null : { ...report.event, sourceId: idOf(report.event.sourceId) },
  });
  return {
    sources: sources.map(withId),
    reports: reports.map(renumber).sort(byId),
    finished: finished
      .map((row) => ({ ...row, id: newId(reportIds, row.report.id), report: renumber(row.report) }))
      .sort(byId),
    spends: spends.map((spend) => ({ ...spendOf(spend, idOf), id: newId(spendIds, spend.id) })),
    log: log.map(withId).map((entry) => entryOf(entry, idOf)),
  };
}

const inOrder = (old: readonly InternalId[]): ReadonlyMap<InternalId, InternalId> =>
  new Map(old.map((id, index) => [id, index + 1]));

function newId(ids: ReadonlyMap<InternalId, InternalId>, id: InternalId): InternalId {
  const found = ids.get(id);
  if (found === undefined) throw new RangeError(`there is no row ${id}`);
  return found;
}

const sourceIdOf = (entry: LogEntry): readonly InternalId[] =>
  entry.kind === 'source' && entry.decision.kind === 'stored' ? [entry.decision.sourceId] : [];

function entryOf(entry: LogEntry, idOf: (id: InternalId) => InternalId): LogEntry {
  if (entry.kind !== 'source') return entry;
  const { decision } = entry;
  const id = decision.kind === 'stored' ? idOf(decision.sourceId) : entry.id;
  const checks = entry.checks.map((check) => checkOf(check, id));
  return decision.kind === 'stored'
    ? { ...entry, checks, decision: { ...decision, sourceId: id } }
    : { ...entry, checks };
}

function checkOf(check: Check, id: InternalId): Check {
  if (check.id === 'privacy-budget') return { ...check, values: ofUnit(check.values, id) };
  if (check.id === 'impressions-of-unit') return { ...check, values: ofUnit(check.values, id) };
  return check;
}

/** An impression as a privacy unit is named by its source. */
const ofUnit = <Fact extends object>(fact: Fact, id: InternalId): Fact =>
  'unit' in fact && fact.unit === 'impression' ? { ...fact, of: String(id) } : fact;

const spendOf = (spend: Spend, idOf: (id: InternalId) => InternalId): Spend => ({
  ...spend,
  of: spend.unit === 'impression' ? spend.sourceIds.map(idOf).join() : spend.of,
  sourceIds: spend.sourceIds.map(idOf),
});

const byId = (a: { readonly id: InternalId }, b: { readonly id: InternalId }): number => a.id - b.id;

/** Reports due at the same time are ordered by their random ids. */
function byDueTime(a: Report, b: Report): number {
  const [left, right] = [reportIdOf(a.body), reportIdOf(b.body)];
  return a.reportTime - b.reportTime || (left < right ? -1 : left > right ? 1 : 0);
}
