import {
  ARRIVAL,
  columnsOf,
  digestOf,
  KIND,
  MOST_STRANGE_KINDS,
  REGISTERED,
  reportedCells,
  REST,
  sourceCells,
  startOf,
} from './cells';
import type { Queries } from './database';
import type { KnownConfigurations } from './known-configurations';
import {
  BY_ANY_JOIN,
  BY_INDEX,
  COUNTS,
  firstReports,
  formOf,
  formsOf,
  KEPT_SKEW,
  SourceOutcomes,
} from './outcomes';
import { FLOOD } from '../../analysis/estimate/join/source-outputs';
import { OF_SOURCE } from './source-filter';

/** The ids of both tables up to which rows are summed. */
export interface Summed {
  readonly sources: number;
  readonly reports: number;
}

/**
 * Adds the rows between two pairs of ids to the sums. Rows stay in the database: it counts sources whose reports are alike, and only the outcome
 * of each such set is calculated here.
 */
export async function addToSums(
  queries: Queries,
  known: KnownConfigurations,
  before: Summed,
  after: Summed,
): Promise<void> {
  const outcomes = new SourceOutcomes(await known.read(queries), KEPT_SKEW);
  await queries.query(additions(before, after, outcomes.bounds).join(';\n'));
  const alike = await queries.query<{ readonly configuration: string; readonly forms: string }>(
    'SELECT DISTINCT configuration, forms FROM changed JOIN kinds ON kinds.id = kind',
  );
  const changes = alike.flatMap(({ configuration, forms }) =>
    outcomes.changes(configuration, forms).map((change) => ({ configuration, forms, ...change })),
  );
  await queries.query(ADD_OUTCOMES, [
    changes.map(({ configuration }) => configuration),
    changes.map(({ forms }) => forms),
    changes.map(({ output }) => output),
    ...COUNTS.map((name) => changes.map((change) => change[name])),
  ]);
  await queries.query(`DROP TABLE ${WORKING.join(', ')}`);
}

/** They exist within a transaction. */
const WORKING = ['new_sources', 'new_reports', 'joined', 'changed'] as const;

const working = (name: (typeof WORKING)[number], rows: string): string =>
  `CREATE TEMPORARY TABLE ${name} AS ${rows}`;

function additions(before: Summed, after: Summed, bounds: readonly number[]): readonly string[] {
  const newSources = `s.id > ${before.sources} AND s.id <= ${after.sources}`;
  const newReports = `r.id > ${before.reports} AND r.id <= ${after.reports}`;
  return [
    `SET LOCAL jit = off; SET LOCAL work_mem = '64MB'`,
    working('new_sources', sourceCells(newSources)),
    working('new_reports', reportedCells(newReports)),
    ADD_LOGGED_KINDS,
    // As their reports say it, so that strangers cannot take the place of what the log has.
    addKinds(`SELECT DISTINCT destinations, source_type, reporting_origin, NULL::TEXT AS configuration, NULL::TEXT AS features
      FROM new_sources`),
    addKinds(REST),
    ADD_STRANGE_KINDS,
    BY_INDEX,
    working('joined', joinedReports(before, after, bounds)),
    addOtherReports(before, after),
    BY_ANY_JOIN,
    working('changed', CHANGED),
    ADD_REPORTS,
    `UPDATE summed SET sources = ${after.sources}, reports = ${after.reports}`,
  ];
}

const addKinds = (kinds: string): string =>
  `INSERT INTO kinds (digest, ${KIND.join(', ')})
   SELECT ${digestOf('c')}, ${KIND.join(', ')} FROM (${kinds}) AS c ON CONFLICT DO NOTHING`;

/** With the number of their sources, so that a question for all days reads no outcomes. */
const ADD_LOGGED_KINDS = `INSERT INTO kinds (digest, ${KIND.join(', ')}, sources)
   SELECT ${digestOf('c')}, ${KIND.join(', ')}, sources
   FROM (SELECT ${KIND.join(', ')}, sum(sources) AS sources FROM new_sources GROUP BY ${KIND.join(', ')}) AS c
   ON CONFLICT (digest) DO UPDATE SET sources = kinds.sources + EXCLUDED.sources`;

/** Anybody can make up kinds with reports. */
const ADD_STRANGE_KINDS = `INSERT INTO kinds (digest, ${KIND.join(', ')})
   SELECT digest, ${KIND.join(', ')}
   FROM (SELECT ${digestOf('c')} AS digest, c.* FROM (SELECT DISTINCT ${KIND.join(', ')} FROM new_reports) AS c) AS found
   WHERE digest NOT IN (SELECT digest FROM kinds)
   LIMIT greatest(0, ${MOST_STRANGE_KINDS} - (SELECT count(*) FROM kinds WHERE configuration IS NULL))`;

/** The first reports of new sources, and of older sources that have new reports. */
function joinedReports(before: Summed, after: Summed, bounds: readonly number[]): string {
  const known = `s.id <= ${before.sources} AND r.id <= ${before.reports}`;
  const columns = `s.id, s.source_event_id, ${columnsOf('s')}, s.source_time`;
  return `SELECT ${JOINED}, ${known} AS known, ${ARRIVAL}, ${formOf(known, bounds)} AS form
    FROM (SELECT ${columns} FROM sources s WHERE s.id > ${before.sources} AND s.id <= ${after.sources}
      UNION ALL SELECT ${columns} FROM sources s JOIN (
        SELECT DISTINCT r.source_event_id, r.reporting_origin FROM reports r
        WHERE r.kind = 'event-level' AND r.id > ${before.reports} AND r.id <= ${after.reports}) AS r ON ${OF_SOURCE}
      WHERE s.id <= ${before.sources}) AS s
    CROSS JOIN ${firstReports(after.reports)}`;
}

const JOINED = `s.id AS source, ${digestOf('s')} AS digest, ${REGISTERED} AS registered, r.id AS report`;

/** If a source has more reports than are read: counts the others that are new. Nothing reads their forms. */
const addOtherReports = (before: Summed, after: Summed): string =>
  `INSERT INTO joined SELECT ${JOINED}, FALSE AS known, ${ARRIVAL}, NULL AS form
   FROM (SELECT source, max(report) AS last FROM joined GROUP BY source HAVING count(*) = ${FLOOD}) AS flooded
     JOIN sources s ON s.id = source
     JOIN reports r ON ${OF_SOURCE} AND r.kind = 'event-level' AND r.id <= ${after.reports}
       AND r.id > greatest(last, CASE WHEN s.id <= ${before.sources} THEN ${before.reports} END)`;

/** How many sources of each kind and hour have which reports; new sources also count as if they had none. */
const CHANGED = `SELECT kinds.id AS kind, registered, forms, count(*)::INTEGER AS sources
   FROM (SELECT digest, registered, ${formsOf('count(*) FILTER (WHERE form IS NULL)')} AS forms FROM joined GROUP BY source, digest, registered) AS of_source
     JOIN kinds USING (digest) GROUP BY kinds.id, registered, forms
   UNION ALL SELECT kinds.id, registered, '', c.sources::INTEGER FROM new_sources c JOIN kinds ON kinds.digest = ${digestOf('c')}`;

const ARRIVED = 'registered, received, delay, reports, first, last';

const addition = (table: string): string =>
  `ON CONFLICT (kind, registered, received, delay) DO UPDATE SET reports = ${table}.reports + EXCLUDED.reports,
     first = least(${table}.first, EXCLUDED.first), last = greatest(${table}.last, EXCLUDED.last)`;

/** By the kind that reports have themselves, and by that of their source. */
const ADD_REPORTS = `WITH cells AS MATERIALIZED (
     SELECT coalesce(kinds.id, (SELECT id FROM kinds WHERE digest = (SELECT ${digestOf('rest')} FROM (${REST}) AS rest))) AS kind,
       registered, received, delay, sum(reports)::INTEGER AS reports, min(first) AS first, max(last) AS last
     FROM new_reports c LEFT JOIN kinds ON kinds.digest = ${digestOf('c')} GROUP BY 1, registered, received, delay
     UNION ALL SELECT kinds.id, registered, received, delay, count(*)::INTEGER, min(received_time), max(received_time)
     FROM joined JOIN kinds USING (digest) WHERE NOT known GROUP BY kinds.id, registered, received, delay),
   by_hour AS (INSERT INTO report_hours (kind, ${ARRIVED}) SELECT kind, ${ARRIVED} FROM cells ORDER BY registered, kind ${addition('report_hours')})
   INSERT INTO report_sums (kind, ${ARRIVED})
   SELECT kind, ${startOf(`'day'`, 'registered')} AS day, ${startOf(`'day'`, 'received')} AS arrived, delay,
     sum(reports), min(first), max(last)
   FROM cells GROUP BY kind, day, arrived, delay ORDER BY kind, day ${addition('report_sums')}`;

const OUTCOME = `output, ${COUNTS.join(', ')}`;

const ADD_OUTCOMES = `WITH cells AS MATERIALIZED (
     SELECT kind, registered, output, ${COUNTS.map((name) => `sum(changed.sources * change.${name})::INTEGER AS ${name}`).join(', ')}
     FROM changed JOIN kinds ON kinds.id = kind
     JOIN unnest($1::TEXT[], $2::TEXT[], $3::TEXT[], ${COUNTS.map((_, index) => `$${index + 4}::INTEGER[]`).join(', ')})
       AS change (configuration, forms, ${OUTCOME})
       ON change.configuration = kinds.configuration AND change.forms = changed.forms
     GROUP BY kind, registered, output)
   INSERT INTO outcome_sums (kind, unit, registered, ${OUTCOME})
   SELECT kind, 'hour', registered, ${OUTCOME} FROM cells
   UNION ALL
   SELECT kind, 'day', ${startOf(`'day'`, 'registered')} AS day, output, ${COUNTS.map((name) => `sum(${name})`).join(', ')}
   FROM cells GROUP BY kind, day, output ORDER BY 2, 3, 1
   ON CONFLICT (unit, registered, kind, output) DO UPDATE SET
     ${COUNTS.map((name) => `${name} = outcome_sums.${name} + EXCLUDED.${name}`).join(', ')}`;
