import type { AttributionModel } from '../../src/model/mechanisms';
import { seconds } from '../../src/model/units';
import type { ReplayOutcome } from '../scenario/replay';
import type { Json, JsonObject } from '../../src/model/json';
import { LogJoin } from '../estimate/result/log-join';
import type { CountedConfiguration } from '../estimate/unbiased/tally';
import { addCounted, addTo, JourneyCounter, type Counted, type JourneyCounts } from './journey-counts';
import { channelsOf, firstConverting, isRepeated, Journeys } from './journeys';

/** The columns by which sources are counted. */
const COLUMNS = ['channels', 'channel'] as const;

export const NO_CONVERSION = '(none)';

/** The input of learned credits. Counts of parts of a log add up to those of the whole. */
export interface CreditCounts extends JourneyCounts {
  /** People by the channel of the last source before their first conversion; `NO_CONVERSION` for those without. */
  readonly people: ReadonlyMap<string, number>;
  /** How many sources gave each output, by the channels of their journey and by the channel of the source. From reports only. */
  readonly outputs: readonly CountedConfiguration[];
}

/** Counts the journeys of one person after another. */
export class CreditCounter {
  private readonly counter: JourneyCounter;
  private readonly people = new Map<string, number>();
  private readonly join = new LogJoin(COLUMNS, { skew: seconds(0), completeUntil: null });
  private journeys: Journeys;

  constructor(
    private readonly column: string,
    models: readonly AttributionModel[],
  ) {
    this.counter = new JourneyCounter(models);
    this.journeys = new Journeys(column);
  }

  /** The outcome of a response of the present person, and the row of the source log if a source was stored. */
  observe(outcome: ReplayOutcome, row: JsonObject | null): void {
    if (outcome.kind === 'source' && row !== null) this.journeys.addSource(outcome, row);
    if (outcome.kind === 'trigger' && !isRepeated(outcome.decision)) this.journeys.addConversion(outcome);
  }

  /** @param reports all reports of the present person. */
  endPerson(reports: readonly Json[]): void {
    const journeys = this.journeys.all();
    for (const journey of journeys) {
      this.counter.add(journey);
      const channels = JSON.stringify(channelsOf(journey));
      for (const { channel, row } of journey.touches) this.join.addSource({ ...row, channels, channel });
    }
    addTo(this.people, firstConverting(journeys) ?? NO_CONVERSION, 1);
    for (const report of reports) this.join.addReport(report);
    this.journeys = new Journeys(this.column);
  }

  counts(): CreditCounts {
    const { configurations } = this.join.statistics(null);
    return { ...this.counter.counts(), people: this.people, outputs: configurations };
  }
}

/** Adds up the counts of parts of a log. */
export function addCounts(parts: readonly CreditCounts[]): CreditCounts {
  const journeys = new Map<string, Counted>();
  const hours = new Map<string, Counted>();
  const rules = new Map<AttributionModel['kind'], Map<string, number>>();
  const people = new Map<string, number>();
  for (const part of parts) {
    for (const [channel, count] of part.people) addTo(people, channel, count);
    for (const [channels, counted] of part.journeys) addCounted(journeys, channels, counted);
    for (const [pattern, counted] of part.hours) addCounted(hours, pattern, counted);
    for (const [kind, credits] of part.rules) {
      const sums = rules.get(kind) ?? new Map<string, number>();
      rules.set(kind, sums);
      for (const [channel, credit] of credits) addTo(sums, channel, credit);
    }
  }
  return { journeys, hours, rules, people, outputs: parts.flatMap(({ outputs }) => outputs) };
}
