import type { RandomSource } from '../../src/privacy/random-source';
import type { PrivacyLoss } from './privacy-loss';

/** Draws for choosing the event, and again as many for measuring it. */
const DRAWS = 2000;
/** The probability that the bound is above the true loss. */
const FALSE_ALARM = 1e-7;

/**
 * A certified lower bound of the loss, for worlds with too many outputs to go through: half of the draws choose the event that tells
 * the worlds apart best, the other half bound its probabilities (Clopper & Pearson 1934). It is above the true loss with a
 * probability of at most FALSE_ALARM.
 * @param runs each world's output, drawn with this randomness
 */
export async function sampledLoss(
  runs: readonly [(random: RandomSource) => Promise<string>, (random: RandomSource) => Promise<string>],
  random: RandomSource,
): Promise<PrivacyLoss> {
  const counts = async (run: (random: RandomSource) => Promise<string>): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    for (let drawn = 0; drawn < DRAWS; drawn++) {
      const output = await run(random);
      found.set(output, (found.get(output) ?? 0) + 1);
    }
    return found;
  };
  const [one, other] = [await counts(runs[0]), await counts(runs[1])];
  const outputs = [...new Set([...one.keys(), ...other.keys()])];
  const bound = (a: Map<string, number>, b: Map<string, number>, output: string): number =>
    boundOf(a.get(output) ?? 0, b.get(output) ?? 0);
  const best = outputs
    .flatMap((output) => [
      { output, from: 0, bound: bound(one, other, output) },
      { output, from: 1, bound: bound(other, one, output) },
    ])
    .reduce((a, b) => (b.bound > a.bound ? b : a));
  const [again, otherAgain] = [await counts(runs[0]), await counts(runs[1])];
  const [p, q] = [again.get(best.output) ?? 0, otherAgain.get(best.output) ?? 0];
  const epsilon = Math.max(0, best.from === 0 ? boundOf(p, q) : boundOf(q, p));
  if (epsilon === 0) return { epsilon: 0, event: null };
  return { epsilon, event: { output: best.output, probabilities: [p / DRAWS, q / DRAWS] } };
}

/** A lower bound of δ by the event that was found, as certain as its loss. */
export function sampledDelta({ event }: PrivacyLoss, epsilon: number): number {
  if (event === null) return 0;
  const [seldom = 0, often = 0] = event.probabilities
    .map((share) => Math.round(share * DRAWS))
    .sort((a, b) => a - b);
  return Math.max(0, leastProbability(often) - Math.exp(epsilon) * (1 - leastProbability(DRAWS - seldom)));
}

/** ln of the least ratio of two probabilities that these counts do not rule out. */
const boundOf = (often: number, seldom: number): number =>
  Math.log(leastProbability(often) / (1 - leastProbability(DRAWS - seldom)));

/** The lower end of the one-sided Clopper–Pearson interval for `count` of DRAWS, at level FALSE_ALARM/2. */
function leastProbability(count: number): number {
  if (count === 0) return 0;
  let [low, high] = [0, count / DRAWS];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (atLeast(count, middle) < FALSE_ALARM / 2) low = middle;
    else high = middle;
  }
  return low;
}

/** P[X ≥ count] for X binomial over DRAWS with probability p below count/DRAWS: each further term is smaller than the one before. */
function atLeast(count: number, p: number): number {
  let logTerm = logChoose(count) + count * Math.log(p) + (DRAWS - count) * Math.log1p(-p);
  let sum = 0;
  for (let k = count; k <= DRAWS; k++) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(((DRAWS - k) / (k + 1)) * (p / (1 - p)));
  }
  return sum;
}

function logChoose(count: number): number {
  let sum = 0;
  for (let i = 1; i <= count; i++) sum += Math.log((DRAWS - count + i) / i);
  return sum;
}
