import { defaultMeasurement, type PrivacyUnit } from '../../src/model/mechanisms';
import { epsilon as epsilonOf } from '../../src/model/units';
import { outputsFor, type FiniteMechanism } from '../../src/privacy/finite-distribution';
import type { RandomSource } from '../../src/privacy/random-source';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { lossWeights } from '../estimate/likelihood/training-weights';
import { transitionRows } from '../estimate/quantities/transition';
import { divider, type AllocationPolicy } from '../simulation/allocation';
import { onlyRows, rowsWhere, withLabels, type Examples } from './examples';
import type { PrivacyAccountant } from './privacy-accountant';

/** Randomizes one label: the number to train on. */
export type LabelRandomizer = (label: number, random: RandomSource) => number;

/** Makes a randomizer for an ε, which differs between impressions where units share theirs by their numbers of impressions. */
export type RandomizerFor = (epsilon: number) => LabelRandomizer;

/** How the impressions of a unit share ε. */
export interface UnitBudget {
  readonly unit: PrivacyUnit;
  readonly allocation: AllocationPolicy;
  /** K; null: no impression of a unit is left out, and only the unit `impression` or `per-count` keeps to ε. */
  readonly cap: number | null;
  readonly epsilon: number;
  /** In days. A unit has a new budget in each period. */
  readonly period: number;
}

const DAY = 86_400_000;

/** Examples that answered, and the root mean square of what the noise added to their labels. */
interface Answers {
  readonly examples: Examples;
  readonly labelError: number;
}

/**
 * The examples that may answer, with randomized labels. The others are left out: which they are depends on units and times, which the ad
 * tech knows, and not on labels.
 * @throws PrivacyError when a unit would spend more than ε.
 */
export function withNoisyLabels(
  examples: Examples,
  budget: UnitBudget,
  randomizerFor: RandomizerFor,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Answers {
  const { rows, shares } = chosenRows(examples, budget, random, accountant);
  const randomizers = new Map<number, LabelRandomizer>();
  let squares = 0;
  const labels = new Float32Array(rows.length);
  rows.forEach((row, place) => {
    const share = shares[place] ?? 0;
    const randomize = randomizers.get(share) ?? randomizerFor(share);
    randomizers.set(share, randomize);
    const label = accountant.readLabel(examples, row, 'labels');
    const answer = randomize(label, random);
    squares += (answer - label) ** 2;
    labels[place] = answer;
  });
  return {
    examples: withLabels(onlyRows(examples, rows), labels),
    labelError: Math.sqrt(squares / rows.length),
  };
}

/** The rows that may answer, in order, and the ε of each. */
export function chosenRows(
  examples: Examples,
  budget: UnitBudget,
  random: RandomSource,
  accountant: PrivacyAccountant,
): { readonly rows: Int32Array; readonly shares: Float64Array } {
  const { unit, cap, epsilon, allocation, period } = budget;
  const settings = { ...defaultMeasurement.budget, unit, cap, epsilon: epsilonOf(epsilon), period };
  const ofRows = new Float64Array(examples.count).fill(-1);
  const divide = divider(allocation, settings);
  for (const members of rowsByUnit(examples, budget)) {
    const { share, chosen } = divide(members, random);
    accountant.spendOnLabels(epsilon, chosen.length, share ?? epsilon);
    for (const row of chosen) ofRows[row] = share ?? epsilon;
  }
  const shares = ofRows.filter((share) => share >= 0);
  return { rows: rowsWhere(examples.count, (row) => (ofRows[row] ?? -1) >= 0), shares };
}

/** The rows of each unit and period, in order. */
export function rowsByUnit(
  { units, times, count }: Examples,
  { unit, period }: UnitBudget,
): Iterable<readonly number[]> {
  if (unit === 'impression') return eachRowAlone(count);
  const unitOf = (row: number): string => {
    const user = units.user[row] ?? 0;
    switch (unit) {
      case 'user-publisher':
        return `${user} ${units.publisher[row] ?? 0}`;
      case 'user-advertiser':
        return `${user} ${units.advertiser[row] ?? 0}`;
      case 'user':
        return String(user);
    }
  };
  const groups = new Map<string, number[]>();
  for (let row = 0; row < count; row++) {
    const key = `${unitOf(row)} ${Math.floor((times[row] ?? 0) / (period * DAY))}`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [row]);
    else members.push(row);
  }
  return groups.values();
}

/** An impression is alone in its unit: a group for each would take ten times the memory of its row. */
function* eachRowAlone(count: number): Generator<readonly number[], void, undefined> {
  for (let row = 0; row < count; row++) yield [row];
}

/** The places of these labels are the labels themselves. */
const CONVERSIONS = [0, 1];

/** Randomized response on conversions. De-biased labels make every loss unbiased; plain ones are what the mechanism answers. */
export const responseFor =
  (isDebiased: boolean): RandomizerFor =>
  (epsilon) =>
    answersTo(CONVERSIONS, rrWithPrior(['1/2', '1/2'], epsilon), isDebiased);

/**
 * Randomizes labels by a mechanism whose outputs are labels.
 * @param labels in the order of the mechanism's inputs.
 * @returns the randomizer, which takes the place of a label in `labels`.
 * @throws RangeError when labels are to be de-biased, and the mechanism has too few outputs for that.
 */
export function answersTo(
  labels: readonly number[],
  { outputs, weights }: FiniteMechanism<number>,
  isDebiased: boolean,
): LabelRandomizer {
  if (isDebiased && outputs.length < labels.length)
    throw new RangeError(
      `${outputs.length} answers for ${labels.length} labels cannot be de-biased: "debiased" must be [false], or ε greater`,
    );
  const indexed = { outputs: outputs.map((_, index) => index), weights };
  const draws = labels.map((_, place) => outputsFor(indexed, place));
  const answers = isDebiased
    ? lossWeights(transitionRows(indexed, labels.length)).map((row) =>
        row.reduce((sum, weight, place) => sum + weight * (labels[place] ?? 0), 0),
      )
    : outputs;
  return (place, random) => {
    const draw = draws[place];
    if (draw === undefined)
      throw new RangeError(`the place of a label must be below ${labels.length}, was ${place}`);
    return answers[draw(random)] ?? 0;
  };
}
