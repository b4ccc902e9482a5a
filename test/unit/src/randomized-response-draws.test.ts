import { epsilon as epsilonOf } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { randomizedResponse, randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { biasedResponse, type Mechanism } from '../helpers/biased-response';
import { isLong } from '../helpers/is-long';
import { chiSquare, chiSquareThreshold } from '../helpers/random';

describe('a chi-square test of many draws', () => {
  const truth = 1;
  // The odds that an exact mechanism fails: one in a million for each configuration (here, by its seed, never).
  const falseAlarm = 1e-6;

  /** Over the k outputs, against p/k for each and 1 − p more for the truth: k − 1 degrees of freedom. */
  function statistic(states: number, epsilon: number, mechanism: Mechanism): number {
    const draws = 200_000;
    const random = seededRandomSource('chi-square', 1);
    const observed = Array<number>(states).fill(0);
    for (let draw = 0; draw < draws; draw++) {
      const drawn = mechanism(random);
      const output = drawn.kind === 'replaced' ? Number(drawn.state) : truth;
      observed[output] = (observed[output] ?? 0) + 1;
    }
    const p = randomizedTriggerRate(BigInt(states), epsilonOf(epsilon));
    const expected = observed.map((_, output) => draws * (p / states + (output === truth ? 1 - p : 0)));
    return chiSquare(observed, expected);
  }

  test('has the threshold of the closed form', () => {
    // Two degrees: survival e^(−x/2), so x = 2 ln 10^6. Four: tables give 18.467 for 0.001.
    expect(chiSquareThreshold(2, falseAlarm)).toBeCloseTo(2 * Math.log(1e6), 9);
    expect(chiSquareThreshold(4, 0.001)).toBeCloseTo(18.467, 3);
  });

  const configurations: [number, number][] = [
    [3, 1],
    [7, 2],
    [15, 4],
  ];

  test.each(configurations)('accepts the mechanism for k = %s and ε = %s', (states, epsilon) => {
    const threshold = chiSquareThreshold(states - 1, falseAlarm);
    const exact = randomizedResponse(BigInt(states), epsilonOf(epsilon));
    expect(statistic(states, epsilon, exact)).toBeLessThan(threshold);
  });

  if (!isLong) return;

  test.each(configurations)(
    'rejects one whose rate is 10 %% off, for k = %s and ε = %s',
    (states, epsilon) => {
      const threshold = chiSquareThreshold(states - 1, falseAlarm);
      const weak = biasedResponse(BigInt(states), epsilon, (value) => (value * 9n) / 10n);
      const strong = biasedResponse(BigInt(states), epsilon, (value) => (value * 11n) / 10n);
      expect(statistic(states, epsilon, weak)).toBeGreaterThan(threshold);
      expect(statistic(states, epsilon, strong)).toBeGreaterThan(threshold);
    },
  );

  test.each(configurations)(
    'rejects one that never draws the truth, for k = %s and ε = %s',
    (states, epsilon) => {
      const exact = randomizedResponse(BigInt(states), epsilonOf(epsilon));
      const avoiding: Mechanism = (random) => {
        const drawn = exact(random);
        // The state after it instead: the truth is p/k too rare.
        return drawn.kind === 'replaced' && drawn.state === BigInt(truth)
          ? { kind: 'replaced', state: BigInt(truth + 1) }
          : drawn;
      };
      expect(statistic(states, epsilon, avoiding)).toBeGreaterThan(
        chiSquareThreshold(states - 1, falseAlarm),
      );
    },
  );
});
