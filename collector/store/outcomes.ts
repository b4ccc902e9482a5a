import { outcomeOf, type Outcome } from '../../analysis/estimate/join/counted-join';
import { LATE, type UsedReport } from '../../analysis/estimate/join/report-use';
import { sortedSites } from '../../analysis/estimate/join/sorted-sites';
import { FLOOD, FLOODED, windowBounds, type SourceRules } from '../../analysis/estimate/join/source-outputs';
import { OF_SOURCE } from './source-filter';
import { after, milliseconds, moment, probability, seconds, type Duration } from '../../src/model/units';

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

/** `output` is empty if there is none. */
export type OutcomeRow = Readonly<Counts> & { readonly output: string };

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

const setJoins = (to: 'on' | 'off'): string =>
  ['enable_hashjoin', 'enable_mergejoin'].map((name) => `SET LOCAL ${name} = ${to}`).join('; ');

/**
 * For a statement that joins few rows of large tables. Without current statistics of a fast-growing table, the planner may choose to
 * read all of it.
 */
export const BY_INDEX = `SET LOCAL jit = off; ${setJoins('off')}`;
/** Allows all joins again for the rest of the transaction. */
export const BY_ANY_JOIN = setJoins('on');

/** The parts of a report on which its source's outcome depends. */
type Form = readonly [
  /** Whether it was counted before. */
  known: boolean,
  triggerData: string,
  /** The number of the interval between bounds in which the report was due. */
  stretch: number,
  late: boolean,
  firstOfBucket: number | null,
  lastOfBucket: number | null,
  noisyValue: number | null,
  randomizedTriggerRate: number | null,
  /** Type and destinations of the report, then of the source; null if they are the same. */
  parties: null | readonly [string, readonly string[], string, readonly string[]],
];

/**
 * What outcomes of sources with different reports depend on, so that the database can count sources whose outcomes are equal.
 * @param known the condition on a report that was counted before
 */
export const formOf = (known: string, bounds: readonly number[]): string =>
  `json_build_array(${known}, r.trigger_data::TEXT,
     width_bucket((extract(epoch FROM r.scheduled_time - s.source_time) * 1000)::BIGINT, '{${bounds.join(',')}}'::BIGINT[]),
     r.received_time - r.scheduled_time > make_interval(secs => ${LATE / 1000}),
     r.bucket_first, r.bucket_last, r.noisy_value, r.randomized_trigger_rate,
     CASE WHEN r.source_type = s.source_type AND r.destinations = s.destinations THEN NULL
       ELSE json_build_array(r.source_type, r.destinations, s.source_type, s.destinations) END)::TEXT`;

/**
 * A source's first reports: further ones are not read, so that its forms have a bound.
 * @param upTo the last id of the reports that count
 */
export const firstReports = (upTo: number): string =>
  `LATERAL (SELECT * FROM reports r WHERE ${OF_SOURCE} AND r.kind = 'event-level' AND r.id <= ${upTo} ORDER BY r.id LIMIT ${FLOOD}) AS r`;

/**
 * The forms of a source's first reports, in order of arrival, from rows with `form` and `report`; then how many others there are, unless none.
 * @param others in SQL
 */
export const formsOf = (others: string): string =>
  `concat_ws(',', string_agg(form, ',' ORDER BY report), nullif(${others}, 0))`;

type Rules = ReadonlyMap<string, { readonly rules: SourceRules } | null>;

/** Calculates the outcomes of sources from their reports' forms. It remembers all results, so it is only for some statements. */
export class SourceOutcomes {
  /** For `formOf`. */
  readonly bounds: readonly number[];
  readonly #sitesOf = sortedSites();
  readonly #changes = new Map<string, readonly OutcomeRow[]>();

  /** @param configurations by id */
  constructor(
    private readonly configurations: Rules,
    private readonly skew: Duration,
  ) {
    const rules = [...configurations.values()].flatMap((known) => (known === null ? [] : [known.rules]));
    this.bounds = windowBounds(rules, skew);
  }

  /**
   * What to add to the counts for a source of this configuration. Without reports, it is the outcome of the source. Otherwise it is the outcome of all
   * its reports, minus that of the known ones, which was counted before.
   */
  changes(configuration: string, forms: string): readonly OutcomeRow[] {
    const key = `${configuration} ${forms}`;
    let changes = this.#changes.get(key);
    if (changes === undefined) this.#changes.set(key, (changes = this.calculated(configuration, forms)));
    return changes;
  }

  private calculated(configuration: string, forms: string): readonly OutcomeRow[] {
    const parsed = JSON.parse(`[${forms}]`) as readonly (Form | number)[];
    const reports = parsed.filter((form) => typeof form !== 'number');
    const others = parsed.reduce<number>((sum, form) => (typeof form === 'number' ? sum + form : sum), 0);
    const all = this.outcome(configuration, reports, others);
    if (reports.length === 0) return [all];
    const before = this.outcome(
      configuration,
      reports.filter(([known]) => known),
    );
    return [all, { ...before, ...Object.fromEntries(COUNTS.map((name) => [name, -before[name]])) }];
  }

  /** @param others the number of further reports, which are not read. */
  private outcome(configuration: string, reports: readonly Form[], others = 0): OutcomeRow {
    const own = reports.filter(([, , , , , , , , parties]) => this.areEqual(parties));
    const rules = this.configurations.get(configuration)?.rules ?? null;
    const used = own.map((form) => this.reportOf(form));
    const row = rowOf(outcomeOf(rules, used, moment(0), this.skew), reports.length - own.length);
    if (rules === null || reports.length < FLOOD) return { ...row, reports: row.reports + others };
    return { ...row, output: FLOODED, reports: row.reports + others, too_many: row.too_many + others };
  }

  private areEqual(parties: Form[8]): boolean {
    if (parties === null) return true;
    const [type, destinations, ofSource, loggedDestinations] = parties;
    return (
      type === ofSource &&
      this.#sitesOf(destinations).join(' ') === this.#sitesOf(loggedDestinations).join(' ')
    );
  }

  /** A report that stands for all with the same form, as if the source were registered at time 0. */
  private reportOf([, triggerData, stretch, late, first, last, noisyValue, rate]: Form): UsedReport {
    const scheduledTime = moment(this.bounds[stretch - 1] ?? (this.bounds[0] ?? 0) - 1);
    return {
      triggerData: BigInt(triggerData),
      scheduledTime,
      receivedTime: after(scheduledTime, milliseconds(late ? LATE + 1 : 0)),
      summaryBucket: first === null || last === null ? null : [first, last],
      noisyValue,
      randomizedTriggerRate: rate === null ? null : probability(rate),
    };
  }
}
