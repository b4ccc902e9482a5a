import type { Duration } from '../../src/model/units';
import { hasValues, needsLog, conditions, Parameters, valueOf, type SourceFilter } from './source-filter';
import type { Queries } from './database';
import type { KnownConfigurations } from './known-configurations';
import { instant, pieces, type Piece } from './pieces';
import {
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
  const chosen = asked.openAfter.flatMap((bound) => chosenPieces(asked, bound));
  outcomes.push(...(await selectKept(queries, asked, chosen)));
  const cells = await known.read(queries);
  for (const piece of chosen)
    if (piece.unit === null)
      outcomes.push(...(await countRows(queries, asked, piece, upTo, new OutcomeCells(cells, asked.skew))));
  return { outcomes, unknownSource: await unknownReports(queries, asked.filter, outcomes) };
}

interface ChosenPiece extends Piece {
  readonly configurations: readonly string[];
  readonly open: boolean;
}

/** The range of the filter, cut where sources begin to be open. */
function chosenPieces(
  { filter, skew }: OutcomesAsked,
  { configurations, time }: OpenAfter,
): readonly ChosenPiece[] {
  const from = filter.from?.getTime() ?? -Infinity;
  const to = filter.to?.getTime() ?? Infinity;
  const end = time.getTime() + 1;
  return [
    { from, to: Math.min(to, end), open: false },
    { from: Math.max(from, end), to, open: true },
  ].flatMap(({ open, ...range }) =>
    pieces(range, skew === KEPT_SKEW).map((piece) => ({ ...piece, configurations, open })),
  );
}

/** From the sums of whole days and hours. */
function selectKept(
  queries: Queries,
  { filter, groupBy }: OutcomesAsked,
  chosen: readonly ChosenPiece[],
): Promise<readonly ChosenOutcome[]> {
  const parameters = new Parameters();
  const kept = chosen.flatMap(({ configurations, ...piece }) =>
    piece.unit === null ? [] : configurations.map((configuration) => ({ ...piece, configuration })),
  );
  const grouped = groupsOf(groupBy, 'kinds', parameters);
  const values = hasValues(filter.is, 'kinds', parameters);
  const list = (type: string, of: (piece: (typeof kept)[number]) => string | boolean | null): string =>
    `${parameters.add(kept.map(of))}::${type}[]`;
  return queries.query<ChosenOutcome>(
    `WITH chosen AS MATERIALIZED (
       SELECT id, configuration, ${grouped} AS grouped FROM kinds WHERE configuration IS NOT NULL AND ${values}),
     piece AS MATERIALIZED (
       SELECT * FROM unnest(${list('TEXT', ({ configuration }) => configuration)}, ${list('TEXT', ({ unit }) => unit)},
         ${list('TIMESTAMPTZ', ({ from }) => instant(from))}, ${list('TIMESTAMPTZ', ({ to }) => instant(to))},
         ${list('BOOLEAN', ({ open }) => open)}) AS piece (configuration, unit, first, past, open))
     SELECT chosen.configuration, chosen.grouped, piece.open, o.output,
       ${COUNTS.map((name) => `sum(o.${name})::BIGINT AS ${name}`).join(', ')}
     FROM chosen JOIN piece ON piece.configuration = chosen.configuration
     JOIN outcome_sums o ON o.kind = chosen.id AND o.unit = piece.unit AND o.registered >= piece.first AND o.registered < piece.past
     GROUP BY 1, 2, 3, 4`,
    parameters.values,
  );
}

/** From the rows of a part of an hour, or of the whole range. */
async function countRows(
  queries: Queries,
  { filter, groupBy }: OutcomesAsked,
  { configurations, open, from, to }: ChosenPiece,
  upTo: Summed,
  cells: OutcomeCells,
): Promise<readonly ChosenOutcome[]> {
  const within = (parameters: Parameters): string =>
    `s.id <= ${upTo.sources} AND s.configuration = ANY(${parameters.add(configurations)}::TEXT[])
     AND s.source_time >= ${parameters.add(instant(from))}::TIMESTAMPTZ AND s.source_time < ${parameters.add(instant(to))}::TIMESTAMPTZ
     AND ${conditions({ ...filter, from: null, to: null }, 's', parameters)}`;
  const cellOf = (parameters: Parameters): string =>
    `to_json(${groupsOf(['configuration', ...groupBy], 's', parameters)})::TEXT`;
  const all = new Parameters();
  const silent = await queries.query<SilentRow>(
    `SELECT ${cellOf(all)} AS cell, s.configuration, count(*)::BIGINT AS sources FROM sources s WHERE ${within(all)} GROUP BY 1, 2`,
    all.values,
  );
  for (const row of silent) cells.addSilent(row);
  for (let last = 0; ;) {
    const page = new Parameters();
    const sources = `SELECT s.id, ${cellOf(page)} AS cell FROM sources s WHERE s.id > ${last} AND ${within(page)} AND EXISTS (
      SELECT FROM reports r WHERE r.source_event_id = s.source_event_id AND r.reporting_origin = s.reporting_origin
        AND r.kind = 'event-level' AND r.id <= ${upTo.reports}) ORDER BY s.id LIMIT ${PAGE}`;
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
    return { ...row, configuration, grouped, open };
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
