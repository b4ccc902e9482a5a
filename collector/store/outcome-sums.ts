import { digestOf, startOf } from './cells';
import type { Queries } from './database';
import type { KnownConfigurations } from './known-configurations';
import {
  COUNTS,
  joinedRows,
  KEPT_SKEW,
  OutcomeCells,
  type JoinedRow,
  type OutcomeCell,
  type SilentRow,
} from './outcomes';
import { WITH_SOURCES } from './source-filter';

/** The ids of both tables up to which rows are counted. */
export interface Summed {
  readonly sources: number;
  readonly reports: number;
}

/** A kind and an hour in seconds. */
const CELL = `kinds.id || ' ' || extract(epoch FROM date_trunc('hour', s.source_time AT TIME ZONE 'UTC'))::BIGINT`;
const ITS_KIND = `JOIN kinds ON kinds.digest = ${digestOf('s')}`;

/** Adds the outcomes of new sources, and of older sources that have new reports. Their kinds must exist. */
export async function addOutcomes(
  queries: Queries,
  known: KnownConfigurations,
  before: Summed,
  after: Summed,
): Promise<void> {
  const newSources = `s.id > ${before.sources} AND s.id <= ${after.sources}`;
  const newReports = `r.id > ${before.reports} AND r.id <= ${after.reports}`;
  const cells = new OutcomeCells(await known.read(queries), KEPT_SKEW);
  const silent = await queries.query<SilentRow>(
    `SELECT ${CELL} AS cell, s.configuration, count(*)::BIGINT AS sources FROM sources s ${ITS_KIND} WHERE ${newSources} GROUP BY 1, 2`,
  );
  for (const row of silent) cells.addSilent(row);
  const changed = (where: string): string =>
    `SELECT s.id FROM ${WITH_SOURCES} WHERE r.kind = 'event-level' AND ${where}`;
  const sources = `SELECT s.*, ${CELL} AS cell FROM (
      ${changed(`${newReports} AND s.id <= ${after.sources}`)} UNION ${changed(`r.id <= ${before.reports} AND ${newSources}`)}
    ) AS changed JOIN sources s ON s.id = changed.id ${ITS_KIND}`;
  const isKnown = `s.id <= ${before.sources} AND r.id <= ${before.reports}`;
  cells.addJoined(await queries.query<JoinedRow>(joinedRows(sources, `r.id <= ${after.reports}`, isKnown)));
  await addCells(queries, cells.rows());
}

const sums = COUNTS.map((name) => `sum(${name})::BIGINT`).join(', ');

const addition = `INSERT INTO outcome_sums (kind, unit, registered, output, ${COUNTS.join(', ')})
  SELECT kind, unit, start, output, ${sums}
  FROM unnest($1::BIGINT[], $2::BIGINT[], $3::TEXT[], ${COUNTS.map((_, index) => `$${index + 4}::BIGINT[]`).join(', ')})
    AS cell (kind, hour, output, ${COUNTS.join(', ')}),
  (VALUES ('hour'), ('day')) AS units (unit),
  LATERAL (SELECT ${startOf('unit', 'to_timestamp(hour)')} AS start) AS times
  GROUP BY kind, unit, start, output
  ON CONFLICT (unit, registered, kind, output) DO UPDATE SET
    ${COUNTS.map((name) => `${name} = outcome_sums.${name} + EXCLUDED.${name}`).join(', ')}`;

async function addCells(queries: Queries, cells: readonly OutcomeCell[]): Promise<void> {
  const places = cells.map(({ cell }) => cell.split(' '));
  await queries.query(
    addition,
    [
      places.map(([kind = '']) => kind),
      places.map(([, hour = '']) => hour),
      cells.map(({ output }) => output),
      ...COUNTS.map((name) => cells.map((cell) => cell[name])),
    ],
    'add-outcomes',
  );
}
