import { shortfalls, type ClickChoice } from '../../../src/attribution/click-scores';
import type { ScoreKind } from '../../../src/model/mechanisms';
import { exponentialMechanism, permuteAndFlip } from '../../../src/attribution/private-choice';
import {
  exponentialMechanismProbabilities,
  permuteAndFlipProbabilities,
  utilityBound,
} from '../../../analysis/credits/click-odds';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { isLong } from '../helpers/is-long';
import { asNumber, fits, frequencies, instances, privacyVerdict } from '../helpers/mechanisms';
import { worded } from '../helpers/throws';

/** In `npm run soak` enough to refute noise that is 10 % too low. */
const DRAWS = isLong ? 200_000 : 20_000;

const SCORES: readonly ScoreKind[] = ['linear', 'exponential', 'reciprocal'];

const base: ClickChoice = { clicks: [1, 4.5, 7, 8], conversion: 9, tau: 0.75, epsilon: 4, score: 'linear' };
const withScore = (score: ScoreKind): ClickChoice =>
  score === 'reciprocal' ? { ...base, score, gap: 1 } : { ...base, score };

/** ε·s/(2Δ) for each click, by the definitions in doubles. */
function exponents({ clicks, conversion, tau, epsilon, score, gap }: ClickChoice): number[] {
  const [end, move, alpha] = [Number(conversion), Number(tau), Number(gap)];
  return clicks.map(Number).map((time) => {
    const [value, sensitivity] = {
      linear: [time, move],
      exponential: [Math.exp(time), Math.exp(end) * (Math.exp(move) - 1)],
      reciprocal: [-1 / (time - end), 1 / (alpha - move) - 1 / alpha],
    }[score] as [number, number];
    return (Number(epsilon) * value) / (2 * sensitivity);
  });
}

function softmax(xs: readonly number[]): number[] {
  const sizes = xs.map((x) => Math.exp(x - Math.max(...xs)));
  const total = sizes.reduce((a, b) => a + b);
  return sizes.map((size) => size / total);
}

/** Permute-and-flip by its definition: over all orders, the chance that those before fail and this one succeeds. */
function byAllOrders(xs: readonly number[]): number[] {
  const coins = xs.map((x) => Math.exp(x - Math.max(...xs)));
  const chances = coins.map(() => 0);
  const orders = permutations(coins.map((_, index) => index));
  for (const order of orders) {
    let reached = 1 / orders.length;
    for (const index of order) {
      const coin = coins[index] ?? 0;
      chances[index] = (chances[index] ?? 0) + reached * coin;
      reached *= 1 - coin;
    }
  }
  return chances;
}

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first) =>
        permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
      );

describe.each(SCORES)('with the %s score', (score) => {
  const choice = withScore(score);

  test('shortfalls are those of the definition', () => {
    const xs = exponents(choice);
    shortfalls(choice).forEach((shortfall, index) =>
      expect(asNumber(shortfall)).toBeCloseTo(Math.max(...xs) - (xs[index] ?? 0), 9),
    );
  });

  test('probabilities are those of the definitions', () => {
    const check = (
      actual: readonly ReturnType<typeof shortfalls>[number][],
      expected: readonly number[],
    ): void =>
      actual.forEach((probability, index) =>
        expect(asNumber(probability)).toBeCloseTo(expected[index] ?? NaN, 12),
      );
    check(exponentialMechanismProbabilities(choice), softmax(exponents(choice)));
    check(permuteAndFlipProbabilities(choice), byAllOrders(exponents(choice)));
  });

  test('many draws fit', () => {
    expect(fits(softmax(exponents(choice)), exponentialMechanism(choice), DRAWS)).toBe(true);
    expect(fits(byAllOrders(exponents(choice)), permuteAndFlip(choice), DRAWS)).toBe(true);
  });

  if (isLong)
    test('many draws do not fit noise that is 10 % too low', () => {
      const wrong = { ...choice, epsilon: Number(choice.epsilon) * 1.1 };
      expect(fits(softmax(exponents(choice)), exponentialMechanism(wrong), DRAWS)).toBe(false);
      expect(fits(byAllOrders(exponents(choice)), permuteAndFlip(wrong), DRAWS)).toBe(false);
    });

  test('both are ε-differentially private on 300 random pairs of neighbours', () => {
    const draw = instances(`neighbours ${score}`);
    for (let run = 0; run < 300; run++) {
      const tau = (1 + draw(16)) / 8;
      const gap = tau + (1 + draw(16)) / 8;
      const epsilon = (1 + draw(32)) / 8;
      const conversion = 20;
      const clicks = Array.from({ length: 1 + draw(6) }, () => conversion - gap - draw(64) / 8);
      const moved = draw(clicks.length);
      const by = ((draw(17) - 8) * tau) / 8;
      const instance = {
        clicks,
        conversion,
        tau,
        epsilon,
        score,
        ...(score === 'reciprocal' ? { gap } : {}),
      };
      const neighbour = {
        ...instance,
        clicks: clicks.map((time, index) => (index === moved ? time + by : time)),
      };
      for (const distribution of [exponentialMechanismProbabilities, permuteAndFlipProbabilities])
        expect([
          instance,
          by,
          privacyVerdict([distribution(instance), distribution(neighbour)], epsilon),
        ]).toEqual([instance, by, 'proved']);
    }
  });

  test('permute-and-flip never loses more than the exponential mechanism on 200 random instances', () => {
    const draw = instances(`loss ${score}`);
    for (let run = 0; run < 200; run++) {
      const clicks = Array.from({ length: 1 + draw(7) }, () => draw(80) / 8);
      const instance = { ...choice, clicks, conversion: 12, epsilon: (1 + draw(40)) / 8 };
      const xs = exponents(instance);
      const loss = (probabilities: readonly Parameters<typeof asNumber>[0][]): number =>
        probabilities.reduce((sum, p, index) => sum + asNumber(p) * (Math.max(...xs) - (xs[index] ?? 0)), 0);
      const [flip, exponential] = [
        permuteAndFlipProbabilities(instance),
        exponentialMechanismProbabilities(instance),
      ];
      expect(loss(flip)).toBeLessThanOrEqual(loss(exponential) + 1e-12);
    }
  });
});

describe('the privacy verdict', () => {
  // One of n clicks at the same time moves towards the conversion by τ. Its weight grows by e^(ε/2) and the total hardly does,
  // so the likelihoods differ by a factor of nearly e^(ε/2): the most that a change of one score can cause.
  const clicks = Array<number>(100).fill(0);
  const pair = (epsilon: number): ClickChoice[] =>
    [0, 1].map((time) => ({ clicks: [time, ...clicks], conversion: 2, tau: 1, epsilon, score: 'linear' }));

  test.each([1, 2])('finds noise that is 10 %% too low for ε = %s', (epsilon) => {
    const verdict = (actual: number): string =>
      privacyVerdict(pair(actual).map(exponentialMechanismProbabilities), epsilon / 2);
    expect(verdict(epsilon)).toBe('proved');
    expect(verdict(epsilon * 1.1)).toBe('violated');
  });
});

describe('the utility theorem', () => {
  test('holds for the drawn clicks, and its example is the one in the text', () => {
    const clicks = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const [epsilon, k] of [
      [2, 0.5],
      [8, 2],
      [1, 0.1],
    ] as const) {
      const choice: ClickChoice = { clicks, conversion: 9, tau: 0.25, epsilon, score: 'linear' };
      const { loss, probabilityOfMore } = utilityBound(clicks.length, 0.25, epsilonOf(epsilon), k);
      expect(loss).toBeCloseTo((2 * 0.25 * (Math.log(8) + k)) / epsilon, 12);
      for (const distribution of [exponentialMechanismProbabilities, permuteAndFlipProbabilities]) {
        const beyond = distribution(choice).reduce(
          (sum, p, index) => sum + (index + 1 < 8 - loss ? asNumber(p) : 0),
          0,
        );
        expect(beyond).toBeLessThanOrEqual(probabilityOfMore);
      }
    }
    // Two clicks, Δ = 1, ε = 1, k = 2: 2·(ln 2 + 2) = 5.386 with probability 1 − e^−2 = 0.865.
    const { loss, probabilityOfMore } = utilityBound(2, 1, epsilonOf(1), 2);
    expect(loss).toBeCloseTo(5.386, 3);
    expect(1 - probabilityOfMore).toBeCloseTo(0.8647, 4);
  });

  test('is exact in the form for one distribution, which no smaller loss satisfies', () => {
    const chanceOf = (
      distribution: typeof exponentialMechanismProbabilities,
      clicks: readonly number[],
      loss: number,
    ): number => {
      const last = Math.max(...clicks);
      const choice: ClickChoice = { clicks, conversion: last + 1, tau: 1, epsilon: 1, score: 'linear' };
      return distribution(choice).reduce(
        (sum, p, index) => sum + (last - (clicks[index] ?? 0) > loss ? asNumber(p) : 0),
        0,
      );
    };
    const beta = Math.exp(-2);
    const draw = instances('exact utility');
    for (const n of [2, 5, 20]) {
      const exact = 2 * Math.log(((n - 1) * (1 - beta)) / beta);
      // All others just beyond it: as likely as promised. Just before it: more likely.
      const beyond = (distance: number): number[] => [...Array<number>(n - 1).fill(0), distance];
      const worst = chanceOf(exponentialMechanismProbabilities, beyond(exact * (1 + 1e-6)), exact);
      expect(worst / beta).toBeCloseTo(1, 4);
      expect(
        chanceOf(exponentialMechanismProbabilities, beyond(exact * 0.999), exact * 0.99),
      ).toBeGreaterThan(beta);
      for (let run = 0; run < 20; run++) {
        const clicks = Array.from({ length: n }, () => draw(200) / 10);
        expect(chanceOf(exponentialMechanismProbabilities, clicks, exact)).toBeLessThanOrEqual(beta);
      }
    }
    const flip = 2 * Math.log(1 / (2 * beta));
    expect(chanceOf(permuteAndFlipProbabilities, [0, flip * (1 + 1e-6)], flip) / beta).toBeCloseTo(1, 4);
    expect(2 * Math.log((1 - beta) / beta)).toBeCloseTo(3.71, 2);
    expect(flip).toBeCloseTo(2.61, 2);
  });

  test('holds for 20,000 draws, and fails for a choice without regard to the score', () => {
    const clicks = Array.from({ length: 50 }, (_, index) => index);
    const choice: ClickChoice = { clicks, conversion: 50, tau: 1, epsilon: 2, score: 'linear' };
    const { loss, probabilityOfMore } = utilityBound(50, 1, epsilonOf(2), 1);
    const beyond = clicks.filter((time) => time < 49 - loss).length;
    // Of all clicks 45 are beyond: chance finds them far more often than e^−1.
    expect(beyond).toBe(45);
    const tail = (indices: readonly number[]): number =>
      indices.slice(0, beyond).reduce((a, b) => a + b, 0) / 20_000;
    // The standard deviation of the share is at most 0.0036; five of them are exceeded with probability below 10^−6.
    const bound = probabilityOfMore + 5 * 0.0036;
    for (const mechanism of [exponentialMechanism, permuteAndFlip])
      expect(tail(frequencies(50, 20_000, mechanism(choice)))).toBeLessThan(bound);
    expect(tail(frequencies(50, 20_000, exponentialMechanism({ ...choice, epsilon: 1e-6 })))).toBeGreaterThan(
      bound,
    );
  });
});

describe('bad input', () => {
  test.each<[string, Partial<ClickChoice>]>([
    ['clicks must be a list of at least one number', { clicks: [] }],
    ['clicks[1] must be at or before the conversion, was "9.5"', { clicks: [1, 9.5] }],
    ['clicks[0] must be a finite number', { clicks: [NaN] }],
    ['conversion must be a finite number', { conversion: Infinity }],
    ['tau must be greater than 0 and finite', { tau: 0 }],
    ['epsilon must be greater than 0 and finite', { epsilon: 0 }],
    ['gap must be absent unless the score is reciprocal', { gap: 3 }],
    ['gap must be greater than tau (3/4) and finite, was "missing"', { score: 'reciprocal' }],
    ['gap must be greater than tau (3/4) and finite, was 0.75', { score: 'reciprocal', gap: 0.75 }],
    ['clicks must be at least gap − tau (5/4) before the conversion', { score: 'reciprocal', gap: 2 }],
  ])('%s', (message, change) => {
    for (const mechanism of [exponentialMechanism, permuteAndFlip])
      expect(worded(() => mechanism({ ...base, ...change }))).toThrow(message);
  });

  test('a click at the nearest that a neighbour can be is taken', () => {
    expect(() => exponentialMechanism({ ...base, score: 'reciprocal', gap: 1.75 })).not.toThrow();
  });
});
