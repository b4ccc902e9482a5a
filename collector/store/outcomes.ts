import { outcomeOf, type Outcome } from '../../analysis/estimate/counted-join';
import type { SourceRules } from '../../analysis/estimate/source-outputs';
import type { UsedReport } from '../../analysis/estimate/report-use';
import { sortedSites } from '../../analysis/estimate/sorted-sites';
import { moment, probability, seconds, type Duration } from '../../src/model/units';
import { OF_SOURCE } from './source-filter';

/** The skew at which outcomes are kept. A change takes a migration that empties the sums. */
export const KEPT_SKEW = seconds(60);

/** The counts for sources with one output, in the columns of the sums. `strays` name a source but other sites or another type. */
export const COUNTS = [
  'sources',
  'incomplete',
  'reports',
  'strays',
  'used',
  'late',
  'other_rate',
  'wrong_trigger_data',
  'wrong_window',
  'wrong_bucket',
  'too_many',
  'wrong_value',
] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

export const nothing = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;

/** `output` is empty where there is none. */
export type OutcomeRow = Readonly<Counts> & { readonly output: string };

export type OutcomeCell = OutcomeRow & {
  /** What the sources are counted under. */
  readonly cell: string;
};

const rowOf = ({ output, sources, incomplete, reports, use }: Outcome, strays: number): OutcomeRow => ({
  output: output ?? '',
  sources,
  incomplete,
  reports,
  strays,
  used: use.used,
  late: use.late,
  other_rate: use.otherRate,
  wrong_trigger_data: use.inconsistent.triggerData,
  wrong_window: use.inconsistent.window,
  wrong_bucket: use.inconsistent.bucket,
  too_many: use.inconsistent.tooMany,
  wrong_value: use.inconsistent.value,
});

export const outcomeOfRow = (row: OutcomeRow): Outcome => ({
  output: row.output === '' ? null : row.output,
  sources: row.sources,
  incomplete: row.incomplete,
  reports: row.reports,
  use: {
    used: row.used,
    late: row.late,
    otherRate: row.other_rate,
    inconsistent: {
      triggerData: row.wrong_trigger_data,
      window: row.wrong_window,
      bucket: row.wrong_bucket,
      tooMany: row.too_many,
      value: row.wrong_value,
    },
  },
});

/** Sources without regard to their reports. */
export interface SilentRow {
  readonly cell: string;
  readonly configuration: string;
  readonly sources: number;
}

/** A report with its source. */
export interface JoinedRow {
  readonly cell: string;
  readonly source: number;
  readonly configuration: string;
  /** In ms, as the other times. */
  readonly time: number;
  /** Null where report and source name the same parties; else JSON of the report's and the source's type and destinations. */
  readonly parties: string | null;
  /** Whether it was counted before. */
  readonly known: boolean;
  readonly scheduled: number;
  readonly received: number;
  readonly trigger_data: string;
  readonly randomized_trigger_rate: number | null;
  readonly bucket_first: number | null;
  readonly bucket_last: number | null;
  readonly noisy_value: number | null;
}

/**
 * For a transaction that joins few rows of large tables. Without current statistics of a fast-growing table, the planner may choose to
 * read all of it.
 */
export const BY_INDEX = ['jit', 'enable_hashjoin', 'enable_mergejoin']
  .map((name) => `SET LOCAL ${name} = off`)
  .join('; ');

const milliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::BIGINT`;

/**
 * Reports with their sources, those of one source together and in order of arrival.
 * @param sources a query of sources with their `cell`
 * @param known the condition on a report that was counted before
 * @param page which of them, in SQL
 */
export const joinedRows = (sources: string, upTo: string, known: string, page = ''): string =>
  `SELECT * FROM (SELECT s.cell, s.id AS source, s.configuration, ${milliseconds('s.source_time')} AS time,
       CASE WHEN r.source_type = s.source_type AND r.destinations = s.destinations THEN NULL
         ELSE json_build_array(r.source_type, r.destinations, s.source_type, s.destinations)::TEXT END AS parties,
       ${known} AS known, ${milliseconds('r.scheduled_time')} AS scheduled, ${milliseconds('r.received_time')} AS received,
       r.trigger_data, r.randomized_trigger_rate, r.bucket_first, r.bucket_last, r.noisy_value, r.id AS report
     FROM (${sources}) AS s JOIN reports r ON ${OF_SOURCE} WHERE r.kind = 'event-level' AND ${upTo} ${page}) AS joined
   ORDER BY source, report`;

type Rules = ReadonlyMap<string, { readonly rules: SourceRules } | null>;

/** Adds up outcomes by cell and output. */
export class OutcomeCells {
  readonly #cells = new Map<string, Counts & OutcomeCell>();
  readonly #sitesOf = sortedSites();
  /** Of sources without reports, by configuration. */
  readonly #silent = new Map<string, Outcome>();

  /** @param configurations by id */
  constructor(
    private readonly configurations: Rules,
    private readonly skew: Duration,
  ) {}

  rows(): readonly OutcomeCell[] {
    return [...this.#cells.values()].filter((row) => COUNTS.some((name) => row[name] !== 0));
  }

  /** Adds sources as if they had no reports. */
  addSilent({ cell, configuration, sources }: SilentRow): void {
    this.add(cell, rowOf(this.outcome(configuration, [], 0), 0), sources);
  }

  /** Moves sources to the outcome of all their reports from that of the known ones. @param rows as `joinedRows` selects them */
  addJoined(rows: readonly JoinedRow[]): void {
    for (let start = 0; start < rows.length;) {
      let end = start + 1;
      while (rows[end]?.source === rows[start]?.source) end++;
      const own = rows.slice(start, end);
      this.addSource(
        own.filter(({ known }) => known),
        -1,
        own[0],
      );
      this.addSource(own, 1, own[0]);
      start = end;
    }
  }

  private addSource(rows: readonly JoinedRow[], times: number, source: JoinedRow | undefined): void {
    if (source === undefined) return;
    const own = rows.filter(({ parties }) => parties === null || this.areEqual(parties));
    const outcome = this.outcome(source.configuration, own.map(reportOf), source.time);
    this.add(source.cell, rowOf(outcome, rows.length - own.length), times);
  }

  private outcome(configuration: string, reports: readonly UsedReport[], time: number): Outcome {
    if (reports.length > 0) return this.calculated(configuration, reports, time);
    let silent = this.#silent.get(configuration);
    if (silent === undefined)
      this.#silent.set(configuration, (silent = this.calculated(configuration, [], 0)));
    return silent;
  }

  private calculated(configuration: string, reports: readonly UsedReport[], time: number): Outcome {
    return outcomeOf(this.configurations.get(configuration)?.rules ?? null, reports, moment(time), this.skew);
  }

  private areEqual(parties: string): boolean {
    const [type, destinations, ofSource, loggedDestinations] = JSON.parse(parties) as Parties;
    return (
      type === ofSource &&
      this.#sitesOf(destinations).join(' ') === this.#sitesOf(loggedDestinations).join(' ')
    );
  }

  private add(cell: string, row: OutcomeRow, times: number): void {
    const key = `${row.output} ${cell}`;
    let sums = this.#cells.get(key);
    if (sums === undefined) this.#cells.set(key, (sums = { ...nothing, cell, output: row.output }));
    for (const name of COUNTS) sums[name] += times * row[name];
  }
}

type Parties = readonly [string, readonly string[], string, readonly string[]];

const reportOf = (row: JoinedRow): UsedReport => ({
  triggerData: BigInt(row.trigger_data),
  scheduledTime: moment(row.scheduled),
  receivedTime: moment(row.received),
  summaryBucket:
    row.bucket_first === null || row.bucket_last === null ? null : [row.bucket_first, row.bucket_last],
  noisyValue: row.noisy_value,
  randomizedTriggerRate:
    row.randomized_trigger_rate === null ? null : probability(row.randomized_trigger_rate),
});
