import { clippedWeights } from '../../../analysis/matching/clipped-weights';
import { exponentialMatching } from '../../../analysis/matching/exponential';
import { leastLoss, matchingLosses } from '../../../cli/sample/matching-losses';
import {
  gaussianMatching,
  jointMatching,
  laplaceMatching,
  matchingValue,
} from '../../../analysis/matching/noisy-weights';
import { seededRandomSource } from '../../../analysis/random/sources';
import type { RandomSource } from '../../../src/privacy/random-source';
import { bestWeight, everyMatching, randomWeights, weightOf, written } from '../helpers/matchings';
import { discreteLaplaceProbabilities, fits, instances } from '../helpers/mechanisms';
import { answersOf, withModule } from '../helpers/oracles';

describe('the value of a matching', () => {
  test('is the greatest weight, on 100 random graphs, and moves by Δ at most if one click does', () => {
    const draw = instances('value');
    for (let run = 0; run < 100; run++) {
      // Weights are multiples of Δ/1024, so rounding changes nothing.
      const sensitivity = (1 + draw(8)) / 8;
      const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3)).map((row) =>
        row.map((weight) => (weight === null ? null : weight * sensitivity)),
      );
      const valueOf = (of: typeof weights): number =>
        matchingValue({ weights: of, sensitivity, epsilon: 1 })(null).toNumber();
      expect(valueOf(weights)).toBeCloseTo(Math.max(0, bestWeight(weights)), 9);
      const moved = weights.map((row, click) =>
        click > 0
          ? row
          : row.map((weight) => (weight === null ? null : weight + (draw(3) - 1) * sensitivity)),
      );
      expect(Math.abs(valueOf(moved) - valueOf(weights))).toBeLessThanOrEqual(sensitivity + 1e-9);
    }
  });

  test('has noise for one edge of a click, whatever the number of its edges', () => {
    const draw = matchingValue({ weights: [[1, 1, 1, 1]], sensitivity: 1, epsilon: 512 });
    const REACH = 40;
    const grains = (random: RandomSource): number =>
      Math.min(Math.max(draw(random).toNumber() * 1024 - 1024, -REACH), REACH) + REACH;
    // Of scale 1024/512 grains.
    expect(fits(discreteLaplaceProbabilities(2, REACH), grains, 20_000)).toBe(true);
    expect(fits(discreteLaplaceProbabilities(8, REACH), grains, 20_000)).toBe(false);
  });
});

test.each([
  ['laplace', laplaceMatching],
  ['gaussian', gaussianMatching],
] as const)(
  '%s: if neighbours differ in one weight, a click with four has the noise of one',
  (_, matchingBy) => {
    // How often no weight of 0 becomes positive, with noise for one edge: as if each edge were of a click of its own, with its conversion.
    const noneOf = (weights: readonly (readonly (number | null)[])[], neighbours?: 'edge') => {
      const draw = matchingBy({
        weights,
        sensitivity: 1,
        epsilon: 4,
        ...(neighbours === undefined ? {} : { neighbours }),
      });
      return (random: RandomSource): number => (draw(random).length === 0 ? 0 : 1);
    };
    const DRAWS = 4000;
    const rateOf = (draw: (random: RandomSource) => number): number => {
      const random = seededRandomSource('one edge', 0);
      return Array.from({ length: DRAWS }, () => draw(random)).reduce((a, b) => a + b, 0) / DRAWS;
    };
    const row = [[-0.25, -0.25, -0.25, -0.25]];
    const diagonal = row
      .flat()
      .map((weight, at) => row.flat().map((__, place) => (place === at ? weight : null)));
    const [byEdge, apart, byClick] = [noneOf(row, 'edge'), noneOf(diagonal), noneOf(row)].map(rateOf);
    // 5.5 standard errors of a difference of rates.
    const error = 5.5 * Math.sqrt(0.5 / DRAWS);
    expect(Math.abs((byEdge ?? NaN) - (apart ?? NaN))).toBeLessThan(error);
    expect((byClick ?? NaN) - (byEdge ?? NaN)).toBeGreaterThan(error);
  },
);

describe('joint privacy with owners of several clicks', () => {
  const params = { epsilon: 0.01, sensitivity: 1 };
  const weights = [
    [2, 1],
    [1.9, 1.5],
    [-50, -50],
  ];

  test('an owner’s clicks are matched by their exact weights, where others do not compete', () => {
    const random = seededRandomSource('owners', 0);
    const draw = jointMatching({ ...params, weights: weights.slice(0, 2) }, ['one', 'one']);
    for (let run = 0; run < 100; run++) expect(written(draw(random))).toBe('0-0 1-1');
  });

  test('what an owner gets depends on noisy weights of the others only, even if all of these collude', () => {
    // With the same draws, others see the weights of `one` through the same noise. At ε = 0.01 its scale is 200·Δ, so a change by Δ rarely shows.
    const outcomes = (first: readonly number[]): readonly string[] => {
      const random = seededRandomSource('collude', 0);
      const draw = jointMatching({ ...params, weights: [first, ...weights.slice(1)] }, ['one', 'two', 'two']);
      return Array.from({ length: 100 }, () => written(draw(random).filter(({ click }) => click > 0)));
    };
    const before = outcomes([2, 1]);
    const after = outcomes([3, 2]);
    const far = outcomes([20_002, -20_000]);
    const changes = (other: readonly string[]): number =>
      before.filter((outcome, index) => outcome !== other[index]).length;
    expect(changes(after)).toBeLessThan(10);
    expect(changes(far)).toBeGreaterThan(30);
  });
});

describe('clipped parameters', () => {
  test('are expected weights between 0 and the limit', () => {
    const clipped = clippedWeights({ weights: [[10, -3, null, 1]], chances: [['0.9', 1, null, '1/2']] }, 4);
    expect(clipped.sensitivity).toMatchObject({ numerator: 4n, denominator: 1n });
    expect(
      clipped.weights.map((row) => row.map((weight) => (weight === null ? null : String(weight)))),
    ).toEqual([['4', '0', null, '1/2']]);
  });

  test('let a click’s weights and chances change in any way for ε, by exact distributions', () => {
    // One click, one conversion: whether it is matched is a threshold on noise of scale 1024/ε grains around its clipped weight.
    const epsilon = 2;
    const noise = discreteLaplaceProbabilities(1024 / epsilon, 16_384);
    const chanceOf = (weight: number, chance: string): number => {
      const { weights } = clippedWeights({ weights: [[weight]], chances: [[chance]] }, 4);
      const shifted = (Number(weights[0]?.[0]?.toString().split('/')[0]) / 4) * 1024;
      return noise.reduce((sum, own, place) => sum + (shifted + place - 16_384 > 0 ? own : 0), 0);
    };
    const [least, greatest] = [chanceOf(-1000, '1'), chanceOf(1000, '1')];
    expect(greatest / least).toBeLessThanOrEqual(Math.exp(epsilon));
    expect((1 - least) / (1 - greatest)).toBeLessThanOrEqual(Math.exp(epsilon) * (1 + 1e-9));
  });
});

test('where only the candidates are known, every whole matching is as likely, whatever ε', () => {
  const weights = [
    [1, 1, null],
    [1, null, 1],
    [null, 1, 1],
  ];
  const whole = everyMatching(weights).filter((matching) => weightOf(weights, matching) === 3);
  const names = whole.map(written).sort();
  expect(names).toEqual(['0-0 1-2 2-1', '0-1 1-0 2-2']);
  // No matching to which no edge can be added has two edges here, so all have the same weight.
  for (const epsilon of ['1/1000', '20']) {
    const draw = exponentialMatching({ weights, epsilon, sensitivity: 1 });
    const counted = (random: RandomSource): number => {
      const drawn = written(draw(random));
      return names.includes(drawn) ? names.indexOf(drawn) : 2 + (drawn.split(' ').length === 2 ? 0 : 1);
    };
    const rates = [0, 0, 0, 0];
    const random = seededRandomSource('candidates', 0);
    for (let run = 0; run < 2000; run++) {
      const which = counted(random);
      rates[which] = (rates[which] ?? 0) + 1;
    }
    // 5.5 standard errors.
    expect(Math.abs((rates[0] ?? 0) - (rates[1] ?? 0))).toBeLessThan(5.5 * Math.sqrt(2000));
    expect(rates[3]).toBe(0);
  }
});

describe('the least loss', () => {
  const CANDIDATES = [2, 5, 20];
  const EPSILONS = ['0.25', '1', '2', '4'];

  test.each(CANDIDATES)('with %d candidates no mechanism is below', (candidates) => {
    const DRAWS = 500;
    const losses = matchingLosses(
      { candidates, delta: '1e-6' },
      EPSILONS.slice(0, 3),
      DRAWS,
      seededRandomSource('losses', candidates),
    );
    for (const epsilon of EPSILONS.slice(0, 3)) {
      const ofEpsilon = losses.filter((one) => one.epsilon === epsilon);
      expect(ofEpsilon.map(({ by }) => by)).toEqual([
        'laplace',
        'gaussian',
        'greedy',
        'exponential',
        'bound',
      ]);
      const bound = ofEpsilon.at(-1)?.loss.mean ?? NaN;
      for (const { loss } of ofEpsilon.slice(0, -1))
        expect(loss.mean).toBeGreaterThan(bound - 5.5 * Math.sqrt(0.25 / DRAWS));
      // The exact loss of the exponential mechanism: one click has the weight Δ.
      const exact = (candidates - 1) / (Math.exp(Number(epsilon) / 2) + candidates - 1);
      expect(Math.abs((ofEpsilon[3]?.loss.mean ?? NaN) - exact)).toBeLessThan(5.5 * Math.sqrt(0.25 / DRAWS));
    }
  });

  withModule('scipy')('as a linear programme has it', () => {
    test('is what the best of all mechanisms on these worlds loses', () => {
      const tasks = CANDIDATES.flatMap((candidates) =>
        EPSILONS.flatMap((epsilon) =>
          [0, 0.01].map((delta) => ({ candidates, epsilon: Number(epsilon), delta })),
        ),
      );
      const answers = answersOf('matching_loss.py', tasks) as readonly number[];
      answers.forEach((least, index) => {
        const { candidates, epsilon, delta } = tasks[index] ?? { candidates: 0, epsilon: 1, delta: 0 };
        const bound = leastLoss(candidates, epsilon, delta);
        expect(bound).toBeLessThan(least + 1e-7);
        // For δ = 0 some mechanism reaches the bound.
        if (delta === 0) expect(bound).toBeGreaterThan(least - 1e-7);
      });
    });
  });
});
