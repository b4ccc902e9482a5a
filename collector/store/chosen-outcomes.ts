import type { Duration } from '../../src/model/units';
import { hasValues, needsLog, conditions, Parameters, valueOf, type SourceFilter } from './source-filter';
import type { Queries } from './database';
import type { KnownConfigurations } from './known-configurations';
import { instant, pieces, type Piece } from './pieces';
import {
  BY_INDEX,
  COUNTS,
  joinedRows,
  KEPT_SKEW,
  OutcomeCells,
  type JoinedRow,
  type OutcomeRow,
  type SilentRow,
} from './outcomes';
import type { Summed } from './outcome-sums';

/** How many sources with a single outcome a configuration and group have. */
export interface ChosenOutcome extends OutcomeRow {
  readonly configuration: string;
  readonly grouped: readonly string[];
  /** Whether their last report window is still open. */
  readonly open: boolean;
}

/** When sources of some configurations must have been registered for their last report window to be over. */
export interface OpenAfter {
  readonly configurations: readonly string[];
  readonly time: Date;
}

/** What to count. */
export interface OutcomesAsked {
  readonly filter: SourceFilter;
  readonly groupBy: readonly string[];
  readonly openAfter: readonly OpenAfter[];
  readonly skew: Duration;
}

/** How many sources' rows are read at a time. */
const PAGE = 10_000;

/** The outcomes of the chosen sources that the sums cover, and how many further reports belong to none of them. */
export async function selectOutcomes(
  queries: Queries,
  known: KnownConfigurations,
  asked: OutcomesAsked,
): Promise<{ readonly outcomes: readonly ChosenOutcome[]; readonly unknownSource: number }> {
  const outcomes: ChosenOutcome[] = [];
  const [upTo = { sources: 0, reports: 0 }] = await queries.query<Summed>(
    'SELECT sources, reports FROM summed',
  );
  const chosen = chosenPieces(asked);
  outcomes.push(
    ...(await selectKept(
      queries,
      asked,
      chosen.filter(({ unit }) => unit !== null),
    )),
  );
  await queries.query(BY_INDEX);
  const cells = await known.read(queries);
  for (const piece of chosen)
    if (piece.unit === null)
      outcomes.push(...(await countRows(queries, asked, piece, upTo, new OutcomeCells(cells, asked.skew))));
  return { outcomes, unknownSource: await unknownReports(queries, asked.filter, outcomes) };
}

interface ChosenPiece extends Piece {
  /** The configurations whose sources are complete; those of all others are open. */
  readonly complete: readonly string[];
}

/** The range of the filter, cut wherever sources of some configurations begin to be open. */
function chosenPieces({ filter, openAfter, skew }: OutcomesAsked): readonly ChosenPiece[] {
  const from = filter.from?.getTime() ?? -Infinity;
  const to = filter.to?.getTime() ?? Infinity;
  const ends = openAfter.map(({ configurations, time }) => ({ configurations, end: time.getTime() + 1 }));
  const inside = ends.map(({ end }) => end).filter((end) => end > from && end < to);
  const cuts = [from, ...inside.sort((a, b) => a - b), to];
  return cuts.slice(1).flatMap((until, index) => {
    const start = cuts[index] ?? from;
    const complete = ends.flatMap(({ configurations, end }) => (end > start ? configurations : []));
    return pieces({ from: start, to: until }, skew === KEPT_SKEW).map((piece) => ({ ...piece, complete }));
  });
}

/** From the sums of whole days and hours. */
async function selectKept(
  queries: Queries,
  { filter, groupBy }: OutcomesAsked,
  kept: readonly ChosenPiece[],
): Promise<readonly ChosenOutcome[]> {
  if (kept.length === 0) return [];
  const parameters = new Parameters();
  const chosen = `SELECT id, configuration, ${groupsOf(groupBy, 'kinds', parameters)} AS grouped FROM kinds
    WHERE configuration IS NOT NULL AND ${hasValues(filter.is, 'kinds', parameters)}`;
  // By kind at first: kinds are fewer than cells, and the planner cannot come to read the range once for each kind.
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

/** From the rows of a part of an hour, or of the whole range. */
async function countRows(
  queries: Queries,
  { filter, groupBy, skew }: OutcomesAsked,
  { complete, from, to }: ChosenPiece,
  upTo: Summed,
  cells: OutcomeCells,
): Promise<readonly ChosenOutcome[]> {
  const within = (parameters: Parameters): string =>
    `s.id <= ${upTo.sources} AND s.source_time >= ${parameters.add(instant(from))}::TIMESTAMPTZ AND s.source_time < ${parameters.add(instant(to))}::TIMESTAMPTZ
     AND ${conditions({ ...filter, from: null, to: null }, 's', parameters)}`;
  const cellOf = (parameters: Parameters): string =>
    `to_json(${groupsOf(['configuration', ...groupBy], 's', parameters)})::TEXT`;
  const all = new Parameters();
  const silent = await queries.query<SilentRow>(
    `SELECT ${cellOf(all)} AS cell, s.configuration, count(*)::BIGINT AS sources FROM sources s WHERE ${within(all)} GROUP BY 1, 2`,
    all.values,
  );
  for (const row of silent) cells.addSilent(row);
  // Of an hour, rows are found by time. Without the sum, the planner would look for them in the order of all ids.
  const order = skew === KEPT_SKEW ? 's.id + 0' : 's.id';
  for (let last = 0; ;) {
    const page = new Parameters();
    const sources = `SELECT s.id, ${cellOf(page)} AS cell FROM sources s WHERE s.id > ${last} AND ${within(page)} AND EXISTS (
      SELECT FROM reports r WHERE r.source_event_id = s.source_event_id AND r.reporting_origin = s.reporting_origin
        AND r.kind = 'event-level' AND r.id <= ${upTo.reports}) ORDER BY ${order} LIMIT ${PAGE}`;
    const rows = await queries.query<JoinedRow>(
      joinedRows(sources, `r.id <= ${upTo.reports}`, 'FALSE'),
      page.values,
    );
    cells.addJoined(rows);
    if (rows.length < PAGE) break; // each source has a row or more
    last = rows.at(-1)?.source ?? last;
  }
  return cells.rows().map(({ cell, ...row }) => {
    const [configuration = '', ...grouped] = JSON.parse(cell) as readonly string[];
    return { ...row, configuration, grouped, open: !complete.includes(configuration) };
  });
}

export const groupsOf = (groupBy: readonly string[], alias: string, parameters: Parameters): string =>
  `ARRAY[${groupBy.map((name) => valueOf(name, alias, parameters)).join(', ')}]::TEXT[]`;

/** Without the log, reports choose themselves: those that no chosen source has are of unknown sources. */
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
    `SELECT sum(reports)::BIGINT AS reports FROM kinds JOIN report_sums ON kind = id AND unit = 'day'
     WHERE configuration IS NULL AND ${hasValues(filter.is, 'kinds', parameters)}`,
    parameters.values,
  );
  // A source may be chosen by a site that its reports spell otherwise.
  return Math.max(0, (row?.reports ?? 0) - total('reports'));
}
