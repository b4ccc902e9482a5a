import type { AttributionModel } from '../../src/model/mechanisms';
import { seconds, type Moment } from '../../src/model/units';
import type { ReplayOutcome } from '../scenario/replay';
import type { Json, JsonObject } from '../../src/model/json';
import { LogJoin } from '../estimate/log-join';
import type { CountedConfiguration } from '../estimate/tally';
import { channelsOf, firstConverting, Journeys, type Journey, type Touch } from './journeys';
import { creditShares } from './models';
import { patternOfConversion, spansOf } from './moments';

/** Columns that sources get to be counted by. */
const COLUMNS = ['channels', 'channel'] as const;

export const NO_CONVERSION = '(none)';

/** Journeys or hours, and the conversions in them. */
export interface Counted {
  readonly trials: number;
  readonly conversions: number;
}

/** What credits are learned from. Counts of parts of a log add up to those of the whole. */
export interface CreditCounts {
  /** Journeys by the JSON of their channels. */
  readonly journeys: ReadonlyMap<string, Counted>;
  /** Hours of journeys by the JSON of their pattern. */
  readonly hours: ReadonlyMap<string, Counted>;
  /** The credit of each channel by each rule. */
  readonly rules: ReadonlyMap<AttributionModel['kind'], ReadonlyMap<string, number>>;
  /** People by the channel of the last source before their first conversion; `NO_CONVERSION` for those without. */
  readonly people: ReadonlyMap<string, number>;
  /** How many sources gave which output, as the reports tell, by the channels of their journey and their own. */
  readonly outputs: readonly CountedConfiguration[];
}

/** Counts journeys of whole persons. */
export class CreditCounter {
  private readonly byChannels = new Map<string, Counted>();
  private readonly hours = new Map<string, Counted>();
  private readonly rules = new Map<AttributionModel['kind'], Map<string, number>>();
  private readonly people = new Map<string, number>();
  private readonly join = new LogJoin(COLUMNS, { skew: seconds(0), completeUntil: null });
  private journeys: Journeys;

  constructor(
    private readonly column: string,
    private readonly models: readonly AttributionModel[],
  ) {
    this.journeys = new Journeys(column);
  }

  /** The outcome of a response of the present person, and the row of the source log if a source was stored. */
  observe(outcome: ReplayOutcome, row: JsonObject | null): void {
    this.journeys.add(outcome, row);
  }

  /** @param reports all reports of the present person. */
  endPerson(reports: readonly Json[]): void {
    const journeys = this.journeys.all();
    for (const journey of journeys) this.count(journey);
    addTo(this.people, firstConverting(journeys) ?? NO_CONVERSION, 1);
    for (const report of reports) this.join.addReport(report);
    this.journeys = new Journeys(this.column);
  }

  counts(): CreditCounts {
    const { configurations } = this.join.statistics(null);
    const { byChannels: journeys, hours, rules, people } = this;
    return { journeys, hours, rules, people, outputs: configurations };
  }

  private count(journey: Journey): void {
    const channels = JSON.stringify(channelsOf(journey));
    let conversions = 0;
    for (const time of journey.conversions) {
      const pattern = patternOfConversion(journey, time);
      if (pattern === null) continue;
      conversions += 1;
      addCounted(this.hours, JSON.stringify(pattern), { trials: 0, conversions: 1 });
      this.credit(
        journey.touches.filter((touch) => touch.time <= time),
        time,
      );
    }
    addCounted(this.byChannels, channels, { trials: 1, conversions });
    for (const { pattern, hours } of spansOf(journey))
      addCounted(this.hours, JSON.stringify(pattern), { trials: hours, conversions: 0 });
    for (const { channel, row } of journey.touches) this.join.addSource({ ...row, channels, channel });
  }

  private credit(touches: readonly Touch[], time: Moment): void {
    const candidates = touches.map((touch) => ({ age: time - touch.time, priority: touch.priority }));
    for (const model of this.models)
      creditShares(model, candidates).forEach((share, index) => {
        addTo(this.creditsBy(model.kind), touches[index]?.channel ?? '', share);
      });
  }

  private creditsBy(kind: AttributionModel['kind']): Map<string, number> {
    const credits = this.rules.get(kind) ?? new Map<string, number>();
    this.rules.set(kind, credits);
    return credits;
  }
}

const addTo = (sums: Map<string, number>, key: string, number: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + number);
};

function addCounted(sums: Map<string, Counted>, key: string, { trials, conversions }: Counted): void {
  const known = sums.get(key) ?? { trials: 0, conversions: 0 };
  sums.set(key, { trials: known.trials + trials, conversions: known.conversions + conversions });
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
