import { sketchFrequencies } from '../../analysis/reach/estimators';
import { flippedReach } from '../../analysis/reach/flipped-sketches';
import { seededRandomSource } from '../../analysis/random/sources';
import { coverage, crowdOf, reachOptions } from '../unit/helpers/reach';

// Each takes about a minute of a processor.
jest.setTimeout(1_800_000);

const REPETITIONS = 4000;
const random = seededRandomSource('reach soak', 0);

/** 95 % ± 1, and what 4,000 repetitions can be off with a probability of one in a million. */
function expectLevel(covered: number, most = 0.96): void {
  expect(covered).toBeGreaterThan(0.94 - 0.017);
  expect(covered).toBeLessThan(most + 0.017);
}

test.each([
  [300, 1, 1024],
  [300, 0.3, 1024],
  [800, 1, 1024],
  [300, 10, 64],
])(
  'intervals of %i people by sketches with ε = %p and %i registers have the truth in 95 %%',
  (people, epsilon, registers) => {
    const slice = crowdOf(people);
    const estimates = Array.from({ length: REPETITIONS }, (_, key) =>
      sketchFrequencies({ ...reachOptions, epsilon, registers, key: `key ${key}` })(slice, random),
    );
    const covered = (truth: number, from: number, to: number): number =>
      coverage(truth, REPETITIONS, (repetition) => {
        const estimate = estimates[repetition];
        if (estimate === undefined) throw new Error('one estimate for each repetition');
        return estimate(from, to);
      });
    const shares = [covered(people, 1, 4), covered(people / 4, 2, 2), covered(people / 2, 3, 4)];
    process.stdout.write(`${people} people, ε = ${epsilon}, ${registers} registers: ${shares.join(', ')}\n`);
    // Where noise hides most of the registers, or few have one person, intervals of frequencies are too wide.
    for (const share of shares) expectLevel(share, epsilon < 1 || registers < 100 ? 0.98 : 0.96);
  },
);

test('intervals by flipped sketches have the truth in 95 %', () => {
  const slice = crowdOf(300);
  const covered = coverage(300, REPETITIONS, (key) =>
    flippedReach({ ...reachOptions, epsilon: 3, key: `key ${key}` })(slice, random),
  );
  process.stdout.write(`flipped: ${covered}\n`);
  expectLevel(covered);
});
