import type { CheckValues } from '../model/checks';
import type { LabelOutput, Source, UndrawnOutput } from '../model/records';
import { after, type Epsilon, type Moment, type Probability } from '../model/units';
import { outputsFor, type FiniteMechanism } from '../privacy/finite-distribution';
import { randomizedTriggerRate } from '../privacy/randomized-response';
import { triggerDataOf } from '../states/source-space';
import type { Work } from '../work';

/** The mechanisms that need the true state. */
type TruthfulNoise = UndrawnOutput['noise'];

/** When the true state of a source is final; null unless it has one report window, the same for all trigger data. */
export function closingTime({ registration, time }: Pick<Source, 'registration' | 'time'>): Moment | null {
  const ends = new Set(registration.triggerSpecs.flatMap(({ windows }) => windows.ends));
  const isOneEach = registration.triggerSpecs.every(({ windows }) => windows.ends.length === 1);
  const [end] = ends;
  return isOneEach && ends.size === 1 && end !== undefined ? after(time, end) : null;
}

/** The values of the states of a source with one trigger data and one window: 0 and the starts of the buckets; else null. */
export function valuesOfStates({ registration }: Pick<Source, 'registration'>): readonly number[] | null {
  const [only, ...others] = triggerDataOf(registration);
  if (only === undefined || others.length > 0 || only.spec.windows.ends.length !== 1) return null;
  return [0, ...only.spec.summaryBuckets];
}

/** The mechanism for a source, or why the source gets randomized response. */
export function labelNoiseFor(
  noise: TruthfulNoise,
  source: Pick<Source, 'registration' | 'time' | 'states'>,
): { readonly noise: TruthfulNoise | null; readonly why: CheckValues['mechanism'] } {
  const itself = { noise, why: { applies: 'yes', mechanism: noise.kind } } as const;
  const instead = (why: CheckValues['mechanism']) => ({ noise: null, why });
  if (source.registration.eventLevelEpsilon <= 0) return instead({ applies: 'epsilon' });
  if (closingTime(source) === null) return instead({ applies: 'windows' });
  if (noise.kind === 'rr-with-prior') {
    const { length } = noise.prior;
    if (BigInt(length) === source.states) return itself;
    return instead({ applies: 'states', states: String(source.states), wanted: length });
  }
  const values = valuesOfStates(source);
  const wanted = noise.values.join(', ');
  if (values === null) return instead({ applies: 'data', wanted });
  const isAsWanted =
    values.length === noise.values.length && values.every((value, index) => value === noise.values[index]);
  return isAsWanted ? itself : instead({ applies: 'values', values: values.join(', '), wanted });
}

/** The randomized trigger rate in reports: that of the randomized response over the mechanism's outputs. */
export function rateOf({ caches }: Work, noise: TruthfulNoise, epsilon: Epsilon): Probability | null {
  if (noise.kind === 'unbiased') return null;
  return randomizedTriggerRate(BigInt(caches.mechanismOf(noise, epsilon).outputs.length), epsilon);
}

/** A state's number is small: the settings hold a probability for each. */
const outputsOfState = (mechanism: FiniteMechanism<LabelOutput>, state: bigint) =>
  outputsFor(mechanism, Number(state));

/** Draws the output of a source whose true state is known. */
export const drawOutput = (
  { caches, random }: Work,
  noise: TruthfulNoise,
  epsilon: Epsilon,
  truth: bigint,
): LabelOutput => outputsOfState(caches.mechanismOf(noise, epsilon), truth)(random);
