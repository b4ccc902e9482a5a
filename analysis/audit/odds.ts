import { shareOfImpression } from '../../src/limits/privacy-budget';
import type { MeasurementSettings } from '../../src/model/mechanisms';
import type { SourceRegistration } from '../../src/model/registration';
import { epsilon, moment, probability, type Epsilon, type Probability } from '../../src/model/units';
import { randomizedTriggerRate } from '../../src/privacy/randomized-response';
import { countStates } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import { labelNoiseFor } from '../../src/attribution/label-noise';

/** What chance does to the output of a source. */
export interface Odds {
  /** The highest ε that the budget allows the source for its output. */
  readonly epsilon: Epsilon;
  /** The probability that the output is drawn evenly from all states, whatever happened. Null if the mechanism has no single one. */
  readonly replaced: Probability | null;
  /** The probability that something is reported if nothing happened. Null as above. */
  readonly invented: Probability | null;
}

/** The odds of a source under these settings. */
export function oddsOf(
  { labelNoise, budget }: Pick<MeasurementSettings, 'labelNoise' | 'budget'>,
  registration: SourceRegistration,
): Odds {
  const share = shareOfImpression(budget) ?? Infinity;
  const value = epsilon(Math.min(share, registration.eventLevelEpsilon));
  const states = countStates(shapeOf(registration));
  const source = { registration: { ...registration, eventLevelEpsilon: value }, time: moment(0), states };
  if (labelNoise.kind !== 'rr' && labelNoiseFor(labelNoise, source).noise !== null)
    return { epsilon: value, replaced: null, invented: null };
  const replaced = randomizedTriggerRate(states, value);
  return {
    epsilon: value,
    replaced,
    // One of the states is that nothing is reported.
    invented: probability((replaced * (Number(states) - 1)) / Number(states)),
  };
}
