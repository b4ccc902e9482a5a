import { discreteGaussian } from '../../../analysis/noise/discrete-gaussian';
import type { EdgeWeights, Matching } from '../../../analysis/matching/graph';
import { greedyMatching } from '../../../analysis/matching/greedy';
import { gaussianMatching, jointMatching, laplaceMatching } from '../../../analysis/matching/noisy-weights';
import { gaussianLoss } from '../../../analysis/noise/gaussian-loss';
import { type RandomSource } from '../../../src/privacy/random-source';
import { greedyMatchingDistribution } from '../helpers/greedy-distribution';
import { isLong } from '../helpers/is-long';
import { weightOf, written } from '../helpers/matchings';
import { asNumber, discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';
import { seededRandomSource } from '../../../analysis/random/sources';

/** Discrete Gaussian noise −reach … reach as 0 … 2·reach; each end has its whole tail. */
function gaussianProbabilities(variance: number, reach: number): number[] {
  const size = (z: number): number => Math.exp(-(z ** 2) / (2 * variance));
  const far = Array.from({ length: 40 * reach + 1 }, (_, index) => index - 20 * reach);
  const whole = far.reduce((sum, z) => sum + size(z), 0);
  const shares = Array<number>(2 * reach + 1).fill(0);
  for (const z of far) {
    const place = Math.min(Math.max(z + reach, 0), 2 * reach);
    shares[place] = (shares[place] ?? 0) + size(z) / whole;
  }
  return shares;
}

const REACH = 12;
/** Enough to refute the wrong noise, which only the long form tries. */
const GAUSSIAN_DRAWS = isLong ? 50_000 : 15_000;

test.each([['0.3'], ['1'], ['20/3']])('discrete Gaussian noise of variance %s is exact', (variance) => {
  const drawing = (of: string) => {
    const draw = discreteGaussian(of);
    return (random: RandomSource): number => Math.min(Math.max(Number(draw(random)), -REACH), REACH) + REACH;
  };
  const [over = '1', under = '1'] = variance.split('/');
  const expected = gaussianProbabilities(Number(over) / Number(under), REACH);
  expect(fits(expected, drawing(variance), GAUSSIAN_DRAWS)).toBe(true);
  if (!isLong) return;
  const wrong = drawing(`${Math.round(85 * Number(over))}/${100 * Number(under)}`);
  expect(fits(expected, wrong, GAUSSIAN_DRAWS)).toBe(false);
});

describe('Gaussian noise on weights', () => {
  /** δ at ε of the noise of this variance, if neighbours differ by `move` in one number. */
  function deltaOf(variance: number, move: number, epsilon: number): number {
    // Ten deviations of the widest noise below.
    const noise = gaussianProbabilities(variance, 4000);
    return noise.reduce(
      (sum, own, place) => sum + Math.max(own - Math.exp(epsilon) * (noise[place + move] ?? 0), 0),
      0,
    );
  }

  test.each([
    [1, 1e-5],
    [0.5, 0.01],
    [8, 1e-9],
  ])('is (%d, %d)-private, and not with a quarter of the variance', (epsilon, delta) => {
    const loss = gaussianLoss(epsilon, delta).toNumber();
    expect(loss ** 2 / 2 + Math.sqrt(2 * Math.log(1 / delta)) * loss).toBeLessThanOrEqual(epsilon);
    expect(loss).toBeGreaterThan(0);
    // On a grid of 64 steps to Δ, so that the sums stay short.
    const variance = (64 / loss) ** 2;
    expect(deltaOf(variance, 64, epsilon)).toBeLessThanOrEqual(delta);
    expect(deltaOf(variance / 4, 64, epsilon)).toBeGreaterThan(delta);
  });

  test.each([['0'], ['1'], ['x'], ['-1']])('has no δ of %s', (delta) => {
    expect(() => gaussianLoss(1, delta)).toThrow(/^delta:/);
  });

  // The weights of one click with four edges have an L2 distance of 2·1024 grains; in Laplace noise it would be 4·1024.
  const DRAWS = isLong ? 20_000 : 7000;
  const WEIGHTS: EdgeWeights = [[1, 0, 0, 0]];
  const wins = (epsilon: number) => {
    const draw = gaussianMatching({ weights: WEIGHTS, epsilon, sensitivity: 1 });
    return (random: RandomSource): number => draw(random)[0]?.conversion ?? 4;
  };

  test('picks each conversion as often as normal noise of scale √d·Δ/ε says', () => {
    const deviation = 2 / 4;
    const density = (z: number): number => Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
    const [step, half] = [0.002, 12];
    const below = new Map<number, number>();
    let running = 0;
    for (let index = -half / step; index <= half / step; index++)
      below.set(index, (running += density(index * step) * step));
    const cdf = (z: number): number =>
      below.get(Math.round(Math.min(Math.max(z, -half), half) / step)) ?? NaN;
    let [first, other] = [0, 0];
    for (let index = -half / step; index <= half / step; index++) {
      const z = index * step;
      const weight = density(z) * step;
      if (z > 0) other += weight * cdf(z) ** 2 * cdf(z - 1 / deviation);
      if (z > -1 / deviation) first += weight * cdf(z + 1 / deviation) ** 3;
    }
    const none = cdf(0) ** 3 * cdf(-1 / deviation);
    const expected = [first, other, other, other, none];
    expect(expected.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 2);
    expect(fits(expected, wins(4), DRAWS)).toBe(true);
    if (!isLong) return;
    expect(fits(expected, wins(4.6), DRAWS)).toBe(false);
  });
});

describe('the jointly private matching', () => {
  const params = { epsilon: 4, sensitivity: 1 };
  /** Whether click 1, of weight 1, gets the only conversion in view of the noisy weight of click 0. */
  const other = (weight: number) => {
    const draw = jointMatching({ ...params, weights: [[weight], [1]] });
    return (random: RandomSource): number => (draw(random).some(({ click }) => click === 1) ? 1 : 0);
  };

  /** P[1024 > 1024·weight + z], with noise z of scale 256. */
  function exact(weight: number): number[] {
    const reach = 8192;
    const noise = discreteLaplaceProbabilities(256, reach);
    const yes = noise.reduce((sum, own, place) => {
      const rival = 1024 * weight + (place - reach);
      return sum + (rival < 1024 ? own : rival === 1024 ? own / 2 : 0);
    }, 0);
    return [1 - yes, yes];
  }

  test('tells a click of another click’s weight no more than ε', () => {
    for (const weight of [0.25, 0.5, 1, 1.5]) {
      const [before, after] = [exact(weight), exact(weight + 1)];
      before.forEach((chance, index) =>
        expect(Math.abs(Math.log(chance / (after[index] ?? NaN)))).toBeLessThanOrEqual(params.epsilon + 1e-9),
      );
      if (isLong || weight === 0.5) expect(fits(before, other(weight), 5000)).toBe(true);
    }
    expect(fits(exact(0.5), other(0.75), 5000)).toBe(false);
  });

  test('uses a click’s own weights exactly: without rivals there is no noise', () => {
    const draw = jointMatching({ ...params, epsilon: 0.01, weights: [[1, 1.01, 0.99]] });
    const random = seededRandomSource('own', 0);
    for (let run = 0; run < 200; run++) expect(written(draw(random))).toBe('0-1');
  });

  test('without noise is the best matching, in which no conversion has two clicks', () => {
    const weights = [
      [3, 2],
      [3, 0],
    ];
    const [joint, best] = [jointMatching, laplaceMatching].map((draw) => draw({ ...params, weights })(null));
    expect(joint).toEqual(best);
  });
});

describe('stochastic weights', () => {
  test('are matched by what they weigh on average', () => {
    const weights = [
      [10, 4],
      [9, null],
    ];
    const chances = [
      ['0.1', '1/2'],
      ['1/2', null],
    ];
    const matching = laplaceMatching({ weights, chances, epsilon: 1, sensitivity: 1 })(null);
    expect(written(matching)).toBe('0-1 1-0');
    const greedy = greedyMatchingDistribution({ weights, chances, epsilon: 2, sensitivity: 1 });
    const averages = greedyMatchingDistribution({
      weights: [
        [1, 2],
        [4.5, null],
      ],
      epsilon: 2,
      sensitivity: 1,
    });
    expect(greedy.probabilities.map(asNumber)).toEqual(averages.probabilities.map(asNumber));
  });

  test('need noise only for what can change on average', () => {
    // Four edges that count with a probability of 1/4 change by no more than one that always counts.
    const chances = [Array<string>(4).fill('1/4')];
    const draw = laplaceMatching({ weights: [[4, 4, 4, 4]], chances, epsilon: 1, sensitivity: 1 });
    const noise = discreteLaplaceProbabilities(1024, 16 * 1024);
    // No edge is chosen if all noise is at most −1024.
    const below = noise.reduce((sum, own, place) => sum + (place <= 15 * 1024 ? own : 0), 0);
    const none = (random: RandomSource): number => (draw(random).length === 0 ? 0 : 1);
    const draws = isLong ? 20_000 : 7000;
    expect(fits([below ** 4, 1 - below ** 4], none, draws)).toBe(true);
    if (!isLong) return;
    const whole = laplaceMatching({ weights: [[1, 1, 1, 1]], epsilon: 1, sensitivity: 1 });
    const noneOfWhole = (random: RandomSource): number => (whole(random).length === 0 ? 0 : 1);
    expect(fits([below ** 4, 1 - below ** 4], noneOfWhole, draws)).toBe(false);
  });

  test.each<[EdgeWeights, RegExp]>([
    [[[0, 1]], /chances\[0\]\[0\]/],
    [[[1, 2]], /chances\[0\]\[1\]/],
    [[[1, null]], /chances\[0\]\[1\]/],
    [[[1]], /chances\[0\]/],
    [[], /chances\[0\]/],
  ])('must have a probability for each weight, not %j', (chances, place) => {
    const parameters = { weights: [[1, 2]], chances, epsilon: 1, sensitivity: 1 };
    expect(() => laplaceMatching(parameters)).toThrow(place);
  });
});

/**
 * What no (ε, δ)-private mechanism can beat. One conversion has n candidate clicks of weight 0. In world i, click i weighs Δ instead, so that
 * all these worlds are neighbours of the world without. In that one, a mechanism picks the n clicks with probabilities that sum to at most 1.
 * So it picks click i in world i with a probability of at most e^ε/n + δ on average over i, and loses Δ otherwise.
 */
const leastLoss = (clicks: number, epsilon: number, delta = 0): number =>
  1 - Math.min(1, Math.exp(epsilon) / clicks + delta);

describe('no mechanism beats the lower bound', () => {
  const CLICKS = 20;
  const DRAWS = 1000;
  // With 1000 draws the mean loss is 6 standard deviations too low with a probability below 1e-8.
  const slack = 6 * Math.sqrt(0.25 / DRAWS);
  const delta = 1e-5;

  test.each(isLong ? [0.5, 1, 2, 3] : [1])('at ε = %d', (epsilon) => {
    const weights = Array.from({ length: CLICKS }, (_, click) => [click === 7 ? 1 : 0]);
    const mechanisms: readonly [string, (random: RandomSource) => Matching, number][] = [
      ['laplace', laplaceMatching({ weights, epsilon, sensitivity: 1 }), 0],
      ['greedy', greedyMatching({ weights, epsilon, sensitivity: 1 }), 0],
      [
        'gaussian',
        gaussianMatching({ weights, epsilon: gaussianLoss(epsilon, delta), sensitivity: 1 }),
        delta,
      ],
    ];
    for (const [name, draw, allowed] of mechanisms) {
      const random = seededRandomSource(`lower ${name}`, 0);
      let lost = 0;
      for (let run = 0; run < DRAWS; run++) lost += (1 - weightOf(weights, draw(random))) / DRAWS;
      expect([name, lost >= leastLoss(CLICKS, epsilon, allowed) - slack]).toEqual([name, true]);
    }
  });

  test('and one with a sixth of the noise would', () => {
    const weights = Array.from({ length: CLICKS }, (_, click) => [click === 7 ? 1 : 0]);
    const draw = laplaceMatching({ weights, epsilon: 6, sensitivity: 1 });
    const random = seededRandomSource('lower', 0);
    let lost = 0;
    for (let run = 0; run < DRAWS; run++) lost += (1 - weightOf(weights, draw(random))) / DRAWS;
    expect(lost).toBeLessThan(leastLoss(CLICKS, 1) - slack);
  });

  test('which an optimal mechanism reaches', () => {
    // Picks the click that leads with the probability e^ε/n, and each of the others with (1 − e^ε/n)/(n − 1).
    const epsilon = 1;
    const [own, even] = [Math.exp(epsilon) / CLICKS, 1 / CLICKS];
    const rest = (1 - own) / (CLICKS - 1);
    expect(Math.log(own / even)).toBeCloseTo(epsilon, 12);
    expect(Math.abs(Math.log(rest / even))).toBeLessThanOrEqual(epsilon);
    expect(1 - own).toBeCloseTo(leastLoss(CLICKS, epsilon), 12);
  });
});
