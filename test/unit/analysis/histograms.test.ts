import {
  histogramMechanisms,
  noisyHistogram,
  type HistogramMechanism,
} from '../../../analysis/histograms/mechanisms';
import { partOfDiscreteLaplace } from '../../../analysis/histograms/polya';
import { localEpsilon, shuffledEpsilon } from '../../../analysis/histograms/shuffle-amplification';
import { messagesFor, split } from '../../../analysis/histograms/split-and-mix';
import { squaredErrors } from '../../../analysis/histograms/squared-errors';
import { responseVariance } from '../../../analysis/histograms/variances';
import { type RandomSource } from '../../../src/privacy/random-source';
import { convolution, discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';
import { seededRandomSource } from '../../../analysis/random/sources';

describe('parts of discrete Laplace noise', () => {
  const REACH = 30;
  const shifted = (draw: (random: RandomSource) => bigint) => (random: RandomSource) =>
    Math.max(0, Math.min(2 * REACH, Number(draw(random)) + REACH));

  /** The difference of two Pólya(1/parts, e^(−1/scale)) numbers; each end has the whole tail. */
  function partProbabilities(scale: number, parts: number): number[] {
    const alpha = Math.exp(-1 / scale);
    const polya = [(1 - alpha) ** (1 / parts)];
    for (let k = 1; k < 400; k++) polya.push(((polya.at(-1) ?? 0) * alpha * (k - 1 + 1 / parts)) / k);
    const difference = convolution(polya, [...polya].reverse());
    const from = polya.length - 1 - REACH;
    const inside = difference.slice(from + 1, from + 2 * REACH);
    const tail = (1 - inside.reduce((sum, p) => sum + p, 0)) / 2;
    return [tail, ...inside, tail];
  }

  test.each([
    ['1/2', 0.5, 2n],
    ['3.7', 3.7, 7n],
  ])('of scale %s have the distribution of a difference of Pólya numbers', (scale, size, parts) => {
    const draw = shifted(partOfDiscreteLaplace(scale, parts));
    expect(fits(partProbabilities(size, Number(parts)), draw, 12_000)).toBe(true);
    expect(fits(partProbabilities(size * 1.5, Number(parts)), draw, 12_000)).toBe(false);
  });

  test('add up to discrete Laplace noise', () => {
    const part = partOfDiscreteLaplace('2.5', 5n);
    const sum = shifted((random) => part(random) + part(random) + part(random) + part(random) + part(random));
    expect(fits(discreteLaplaceProbabilities(2.5, REACH), sum, 4_000)).toBe(true);
    expect(fits(discreteLaplaceProbabilities(4, REACH), sum, 4_000)).toBe(false);
  });
});

describe('shuffled randomized response', () => {
  const binomial = (trials: number, p: number): number[] => {
    let row = [1];
    for (let trial = 0; trial < trials; trial++) row = convolution(row, [1 - p, p]);
    return row;
  };

  /** The δ at which outputs of `one` and `other` are told apart by more than ε. */
  const excess = (one: readonly number[], other: readonly number[], epsilon: number): number =>
    one.reduce((sum, p, index) => sum + Math.max(0, p - Math.exp(epsilon) * (other[index] ?? 0)), 0);

  const bothWays = (one: readonly number[], other: readonly number[], epsilon: number): number =>
    Math.max(excess(one, other, epsilon), excess(other, one, epsilon));

  test.each([
    [500, 1e-2, 1],
    [1000, 1e-3, 0.5],
    [1000, 1e-3, 2],
  ])('of %i people with two buckets is within the bound for δ = %p and ε₀ = %p', (people, delta, epsilon) => {
    const bound = shuffledEpsilon(epsilon, people, delta);
    const truth = Math.exp(epsilon) / (1 + Math.exp(epsilon));
    for (const ones of [0, Math.floor(people / 3), people - 1]) {
      const others = convolution(binomial(ones, truth), binomial(people - 1 - ones, 1 - truth));
      const worlds = [truth, 1 - truth].map((p) => convolution(others, [1 - p, p]));
      expect(bothWays(worlds[0] ?? [], worlds[1] ?? [], bound)).toBeLessThanOrEqual(delta);
      // The same check refutes a bound of a fiftieth.
      expect(bothWays(worlds[0] ?? [], worlds[1] ?? [], bound / 50)).toBeGreaterThan(delta);
    }
  });

  test('of people with three buckets, all others in the third, is within the bound', () => {
    const [people, delta, epsilon] = [300, 1e-2, 1.2];
    const bound = shuffledEpsilon(epsilon, people, delta);
    const q = 1 / (Math.exp(epsilon) + 2);
    const logs = [0];
    for (let n = 1; n <= people; n++) logs.push((logs.at(-1) ?? 0) + Math.log(n));
    const log = (n: number): number => logs[n] ?? NaN;
    const others = (first: number, second: number): number => {
      const third = people - 1 - first - second;
      if (first < 0 || second < 0 || third < 0) return 0;
      const ways = log(people - 1) - log(first) - log(second) - log(third);
      return Math.exp(ways + (first + second) * Math.log(q) + third * Math.log(1 - 2 * q));
    };
    const worlds = [0, 1].map((victim) => {
      const named = [0, 1].map((bucket) => (bucket === victim ? 1 - 2 * q : q));
      const outputs: number[] = [];
      for (let first = 0; first <= people; first++)
        for (let second = 0; first + second <= people; second++)
          outputs.push(
            (named[0] ?? 0) * others(first - 1, second) +
              (named[1] ?? 0) * others(first, second - 1) +
              q * others(first, second),
          );
      return outputs;
    });
    expect(bothWays(worlds[0] ?? [], worlds[1] ?? [], bound)).toBeLessThanOrEqual(delta);
    expect(bothWays(worlds[0] ?? [], worlds[1] ?? [], bound / 50)).toBeGreaterThan(delta);
  });

  test('takes the greatest ε₀ that the bound allows, and never less than without shuffling', () => {
    const local = localEpsilon(1, 100_000, 1e-6);
    expect(local).toBeGreaterThan(2);
    expect(shuffledEpsilon(local, 100_000, 1e-6)).toBeCloseTo(1, 6);
    expect(shuffledEpsilon(local, 100_000, 1e-6)).toBeLessThanOrEqual(1);
    expect(localEpsilon(1, 20, 1e-6)).toBe(1);
    expect(shuffledEpsilon(1, 20, 1e-6)).toBe(Infinity);
  });
});

describe('split and mix', () => {
  test.each([
    [0n, 1],
    [3n, 2],
    [-5n, 3],
  ])('splits %p modulo 2^%i into uniform messages that add up to it', (value, bits) => {
    const size = 2 ** bits;
    const messages = (random: RandomSource): readonly bigint[] => split(random, value, bits, 3);
    const uniform = Array<number>(size).fill(1 / size);
    for (const at of [0, 1, 2])
      expect(fits(uniform, (random) => Number(messages(random)[at]), 5_000)).toBe(true);
    const random = seededRandomSource('split', 0);
    for (let draw = 0; draw < 50; draw++) {
      const sum = messages(random).reduce((total, message) => total + message, 0n);
      expect((sum - value) % (1n << BigInt(bits))).toBe(0n);
    }
  });

  /** The number of ones among all messages modulo 2, which is all that an order hides: it tells nothing else. */
  function shuffled(values: readonly number[], messages: number): number[] {
    const ones = Array.from(
      { length: messages + 1 },
      (_, count) => binomialOf(messages, count) / 2 ** (messages - 1),
    );
    return values.reduce<number[]>(
      (all, value) =>
        convolution(
          all,
          ones.map((p, count) => (count % 2 === value ? p : 0)),
        ),
      [1],
    );
  }
  const binomialOf = (n: number, k: number): number =>
    k === 0 ? 1 : (binomialOf(n, k - 1) * (n - k + 1)) / k;
  const distance = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, p, index) => sum + Math.abs(p - (other[index] ?? 0)), 0) / 2;
  const zeros = Array<number>(19).fill(0);

  test.each([2, 4, 8])('of 19 people hides all but the sum up to 2^−%i', (bits) => {
    const messages = messagesFor(19n, 1, bits);
    for (const ones of [2, 8, 18]) {
      const values = zeros.map((_, person) => (person < ones ? 1 : 0));
      expect(distance(shuffled(zeros, messages), shuffled(values, messages))).toBeLessThanOrEqual(2 ** -bits);
    }
  });

  test('takes as many messages as the authors say', () => {
    expect(messagesFor(10_000n, 32)).toBe(12);
  });

  test('hides nothing with one message each', () => {
    expect(distance(shuffled(zeros, 1), shuffled([1, 1, ...zeros.slice(2)], 1))).toBe(1);
  });
});

describe('a histogram', () => {
  const counts = [20, 12, 8, 0];

  test('has the squared error that theory says, by every mechanism', () => {
    const errors = squaredErrors({ counts, delta: 0.01 }, [1, 3], 150, seededRandomSource('errors', 0));
    expect(errors.map(({ by }) => by)).toEqual([...histogramMechanisms, ...histogramMechanisms]);
    for (const { by, epsilon, expected, measured } of errors) {
      const off = Math.abs(measured.mean - expected) / measured.error;
      // Six standard errors, twelve times: less than one in ten million.
      expect(`${by} with ε = ${String(epsilon)} is off by ${off < 6 ? 'little' : off}`).toMatch(/little$/);
    }
  });

  test('costs what the formulas of the literature say', () => {
    const people = 40;
    const e = Math.exp(1.5);
    const binary = responseVariance([30n, 10n], e / (1 + e), 1 / (1 + e));
    expect(binary).toBeCloseTo((people * e) / (e - 1) ** 2, 9);
    const half = Math.exp(0.75);
    expect(noisyHistogram('rappor', { counts, epsilon: 1.5, delta: 0.01 }).squaredError).toBeCloseTo(
      (people * half) / (half - 1) ** 2,
      9,
    );
    const p = Math.exp(-0.75);
    for (const by of ['discrete-laplace', 'split-and-mix'] as const)
      expect(noisyHistogram(by, { counts, epsilon: 1.5, delta: 0.01 }).squaredError).toBeCloseTo(
        (2 * p) / (1 - p) ** 2,
        9,
      );
  });

  const e = Math.exp(1.2);
  const h = Math.exp(0.6);
  test.each<[HistogramMechanism, Record<string, number>]>([
    ['rr', { '1 0 0': e / (e + 2), '0 1 0': 1 / (e + 2), '0 0 1': 1 / (e + 2) }],
    [
      'rappor',
      Object.fromEntries(
        [0, 1, 2, 3, 4, 5, 6, 7].map((code) => {
          const bits = [code & 1, (code >> 1) & 1, code >> 2];
          const kept = bits.filter((bit, bucket) => bit === (bucket === 0 ? 1 : 0)).length;
          return [bits.join(' '), h ** kept / (1 + h) ** 3];
        }),
      ),
    ],
  ])('of one person has the distribution of %s', (by, distribution) => {
    const outputs = Object.keys(distribution);
    const draw = (epsilon: number): ((random: RandomSource) => number) => {
      const noisy = noisyHistogram(by, { counts: [1, 0, 0], epsilon, delta: 0.01 });
      return (random) => outputs.indexOf(noisy.draw(random).join(' '));
    };
    expect(fits(Object.values(distribution), draw(1.2), 30_000)).toBe(true);
    expect(fits(Object.values(distribution), draw(1.44), 30_000)).toBe(false);
  });
});
