import type { AttributionModel } from '../../src/model/mechanisms';
import type { Moment } from '../../src/model/units';
import { channelsOf, type Journey, type Touch } from './journeys';
import { creditShares } from './models';
import { patternOfConversion, spansOf } from './moments';

/** Journeys or hours, and the conversions in them. */
export interface Counted {
  readonly trials: number;
  readonly conversions: number;
}

/** The input of learned credits if it is known what happened. */
export interface JourneyCounts {
  /** Journeys by the JSON of their channels. */
  readonly journeys: ReadonlyMap<string, Counted>;
  /** Hours of journeys by the JSON of their pattern. */
  readonly hours: ReadonlyMap<string, Counted>;
  /** The credit of each channel by each rule. */
  readonly rules: ReadonlyMap<AttributionModel['kind'], ReadonlyMap<string, number>>;
}

export class JourneyCounter {
  private readonly journeys = new Map<string, Counted>();
  private readonly hours = new Map<string, Counted>();
  private readonly rules = new Map<AttributionModel['kind'], Map<string, number>>();

  constructor(private readonly models: readonly AttributionModel[]) {}

  counts(): JourneyCounts {
    const { journeys, hours, rules } = this;
    return { journeys, hours, rules };
  }

  add(journey: Journey): void {
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
    addCounted(this.journeys, JSON.stringify(channelsOf(journey)), { trials: 1, conversions });
    for (const { pattern, hours } of spansOf(journey))
      addCounted(this.hours, JSON.stringify(pattern), { trials: hours, conversions: 0 });
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

export const addTo = (sums: Map<string, number>, key: string, number: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + number);
};

export function addCounted(sums: Map<string, Counted>, key: string, { trials, conversions }: Counted): void {
  const known = sums.get(key) ?? { trials: 0, conversions: 0 };
  sums.set(key, { trials: known.trials + trials, conversions: known.conversions + conversions });
}
