import { FLOOD } from '../../analysis/estimate/join/source-outputs';
import type { Duration } from '../../src/model/units';
import {
  hasValues,
  OF_SOURCE,
  needsLog,
  Parameters,
  rangeOf,
  valueOf,
  type SourceFilter,
} from './source-filter';
import { columnsOf } from './cells';
import type { Queries } from './database';
import type { KnownConfigurations } from './known-configurations';
import { OutcomeTotals, type ChosenOutcome } from './outcome-totals';
import { HOUR, instant } from './pieces';
import { BY_INDEX, COUNTS, firstReports, formOf, formsOf, KEPT_SKEW, SourceOutcomes } from './outcomes';
import type { Summed } from './additions';
import { moveOf, statusPieces, type KeptPiece, type OpenAfter, type RowsPiece } from './source-status';

/** What to count. */
export interface OutcomesAsked {
  readonly filter: SourceFilter;
  readonly groupBy: readonly string[];
  readonly openAfter: readonly OpenAfter[];
  readonly skew: Duration;
}

/** How many reports are read at a time. */
const PAGE = 10_000;

/** The outcomes of the chosen sources that the sums cover, and how many further reports belong to none of them. */
export async function selectOutcomes(
  queries: Queries,
  known: KnownConfigurations,
  asked: OutcomesAsked,
): Promise<{ readonly outcomes: readonly ChosenOutcome[]; readonly unknownSource: number }> {
  const [upTo = { sources: 0, reports: 0 }] = await queries.query<Summed>(
    'SELECT sources, reports FROM summed',
  );
  const { filter, openAfter, skew } = asked;
  const { kept, rows } = statusPieces(rangeOf(filter), openAfter, skew === KEPT_SKEW);
  const totals = new OutcomeTotals();
  for (const outcome of await selectKept(queries, asked, kept)) totals.add(outcome, 1);
  await queries.query(BY_INDEX);
  const configurations = await known.read(queries);
  for (const piece of rows) await addRows(queries, asked, piece, upTo, configurations, totals);
  const outcomes = totals.rows();
  return { outcomes, unknownSource: await unknownReports(queries, filter, outcomes) };
}

/** From the sums of whole days and hours. */
async function selectKept(
  queries: Queries,
  { filter, groupBy }: OutcomesAsked,
  kept: readonly KeptPiece[],
): Promise<readonly ChosenOutcome[]> {
  if (kept.length === 0) return [];
  const parameters = new Parameters();
  const chosen = `SELECT id, configuration, ${groupsOf(groupBy, 'kinds', parameters)} AS grouped FROM kinds
    WHERE configuration IS NOT NULL AND ${hasValues(filter.is, 'kinds', parameters)}`;
  // Grouped by kind first: there are fewer kinds than cells, and the planner cannot choose to read the range once for each kind.
  const cells = kept.map(
    ({ unit, from, to, complete }) =>
      `SELECT kind, ${parameters.add(complete)}::TEXT[] AS complete, output, ${SUMS} FROM outcome_sums
       WHERE unit = '${unit}' AND registered >= '${instant(from)}' AND registered < '${instant(to)}' GROUP BY kind, output`,
  );
  return queries.query<ChosenOutcome>(
    `WITH chosen AS MATERIALIZED (${chosen})
     SELECT configuration, grouped, configuration <> ALL(complete) AS open, output, ${SUMS}
     FROM chosen JOIN (${cells.join(' UNION ALL ')}) AS cells ON kind = id GROUP BY 1, 2, 3, 4`,
    parameters.values,
  );
}

const SUMS = COUNTS.map((name) => `sum(${name})::BIGINT AS ${name}`).join(', ');

/** Moves the sources of a piece from the status in which the sums count them to their own. */
async function addRows(
  queries: Queries,
  { filter, groupBy, skew }: OutcomesAsked,
  piece: RowsPiece,
  upTo: Summed,
  configurations: Awaited<ReturnType<KnownConfigurations['read']>>,
  totals: OutcomeTotals,
): Promise<void> {
  const { from, to, unmoved } = piece;
  const chosen = (parameters: Parameters): string => {
    const bound = (time: number): string => `${parameters.add(instant(time))}::TIMESTAMPTZ`;
    return `s.id <= ${upTo.sources} AND s.source_time >= ${bound(from)} AND s.source_time < ${bound(to)}
      AND s.configuration <> ALL(${parameters.add(unmoved)}::TEXT[]) AND ${hasValues(filter.is, 's', parameters)}`;
  };
  // Makes the planner find the rows of an hour by their time. With the plain column, it would search in the order of all ids.
  const order = to - from <= HOUR ? 's.id + 0' : 's.id';
  const known = new SourceOutcomes(configurations, skew);
  for await (const { cell, forms, sources } of alikeSources(
    queries,
    groupBy,
    { chosen, order, upTo },
    known,
  )) {
    const [configuration = '', ...grouped] = JSON.parse(cell) as readonly string[];
    const move = moveOf(piece, configuration);
    if (move === null) continue;
    for (const row of known.changes(configuration, forms)) {
      const outcome = { ...row, configuration, grouped };
      if (move.status !== 'outside') totals.add({ ...outcome, open: move.status === 'open' }, sources);
      if (move.kept !== 'outside') totals.add({ ...outcome, open: move.kept === 'open' }, -sources);
    }
  }
}

interface RowsAsked {
  /** The condition on a source. */
  readonly chosen: (parameters: Parameters) => string;
  readonly order: string;
  readonly upTo: Summed;
}

/** Sources with the same configuration, the same groups and equal reports. */
interface AlikeSources {
  /** JSON of configuration and groups. */
  readonly cell: string;
  readonly forms: string;
  readonly sources: number;
}

/** First all sources as if they had no reports, then again those that have some. */
async function* alikeSources(
  queries: Queries,
  groupBy: readonly string[],
  { chosen, order, upTo }: RowsAsked,
  { bounds }: SourceOutcomes,
): AsyncGenerator<AlikeSources> {
  const cellOf = (alias: string, parameters: Parameters): string =>
    `to_json(${groupsOf(['configuration', ...groupBy], alias, parameters)})::TEXT AS cell`;
  const all = new Parameters();
  // Grouped by kind first, so that values are read once for each kind.
  yield* await queries.query<AlikeSources>(
    `SELECT ${cellOf('k', all)}, '' AS forms, sum(sources)::BIGINT AS sources FROM (
       SELECT ${columnsOf('s')}, count(*) AS sources FROM sources s WHERE ${chosen(all)} GROUP BY ${columnsOf('s')}) AS k GROUP BY 1`,
    all.values,
  );
  for (let last = 0; ;) {
    const page = new Parameters();
    const rows = await queries.query<AlikeSources & { readonly reports: number; readonly last: number }>(
      `SELECT cell, forms, count(*)::BIGINT AS sources, sum(reports)::BIGINT AS reports, max(source)::BIGINT AS last FROM (
         SELECT cell, source, ${formsOf(otherReports(upTo.reports))} AS forms, count(*) AS reports FROM (
           SELECT ${cellOf('s', page)}, s.id AS source, r.id AS report, ${formOf('FALSE', bounds)} AS form
           FROM sources s CROSS JOIN ${firstReports(upTo.reports)}
           WHERE s.id > ${last} AND ${chosen(page)}
           ORDER BY ${order} FETCH FIRST ${PAGE} ROWS WITH TIES) AS joined
         GROUP BY cell, source) AS of_source
       GROUP BY cell, forms`,
      page.values,
    );
    yield* rows;
    if (rows.reduce((sum, { reports }) => sum + reports, 0) < PAGE) return;
    last = rows.reduce((most, row) => Math.max(most, row.last), last);
  }
}

/** How many reports a source has beyond those that are read. */
const otherReports = (upTo: number): string => `CASE WHEN count(*) = ${FLOOD} THEN (
  SELECT count(*) FROM sources s JOIN reports r ON ${OF_SOURCE}
  WHERE s.id = source AND r.kind = 'event-level' AND r.id > max(report) AND r.id <= ${upTo}) END`;

export const groupsOf = (groupBy: readonly string[], alias: string, parameters: Parameters): string =>
  `ARRAY[${groupBy.map((name) => valueOf(name, alias, parameters)).join(', ')}]::TEXT[]`;

/** Without the log, filters apply to reports themselves. Reports of no chosen source count as of unknown sources. */
async function unknownReports(
  queries: Queries,
  filter: SourceFilter,
  outcomes: readonly ChosenOutcome[],
): Promise<number> {
  const total = (name: 'reports' | 'strays'): number =>
    outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  if (needsLog(filter)) return total('strays');
  const parameters = new Parameters();
  const [row] = await queries.query<{ reports: number | null }>(
    `SELECT sum(reports)::BIGINT AS reports FROM kinds JOIN report_sums ON kind = id
     WHERE configuration IS NULL AND ${hasValues(filter.is, 'kinds', parameters)}`,
    parameters.values,
  );
  // The difference is negative if a source was chosen by a site that its reports spell in another way.
  return Math.max(0, (row?.reports ?? 0) - total('reports'));
}
