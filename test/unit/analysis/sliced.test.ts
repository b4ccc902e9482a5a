import { analysesOf } from '../../../analysis/estimate/result/analyses';
import { estimatesOfSlice, withSlices } from '../../../analysis/estimate/result/sliced';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import type { ConfigurationTally, GroupTally } from '../../../analysis/estimate/unbiased/tally';
import { configurationOf } from '../helpers/estimates';
import { isLong } from '../helpers/is-long';

const uniform = seededUniform('slices', 1);

/** Two levels of groups, some of which have a single part. */
const groups = Array.from({ length: 7 }, (_, part): GroupTally => {
  const reports = Math.floor(20 * uniform());
  return {
    group: [String(Math.floor(part / 3)), String(part)],
    tally: new Map([
      ['0', 60],
      ['1', reports],
      ['2', 20 - reports],
    ]),
  };
});

const tallies: readonly ConfigurationTally[] = [2, 3].map((epsilon) => ({
  given: null,
  name: String(epsilon),
  configuration: configurationOf({}, 'event', epsilon),
  groups,
}));

// Also into more than there are groups.
test.each([
  ['noise', isLong ? [2, 8] : [8]],
  ['noise-and-sampling', isLong ? [2, 8] : [2]],
] as const)(
  'slices of the groups give the estimates of all, to the last digit (%s)',
  (randomness, counts) => {
    const options = { level: 0.95, randomness, likelihood: true, singles: true } as const;
    const whole = estimatesOfSlice(analysesOf(tallies, options, false));
    expect(whole.flat(2).some(({ likelihood }) => likelihood !== null)).toBe(true);
    for (const of of counts) {
      const slices = Array.from({ length: of }, (_, first) =>
        analysesOf(tallies, { ...options, slice: { first, of } }, false),
      );
      const [own = [], ...others] = slices;
      expect(estimatesOfSlice(withSlices(own, others.map(estimatesOfSlice)))).toEqual(whole);
      if (of === 2) for (const slice of slices) expect(estimatesOfSlice(slice)).not.toEqual(whole);
    }
  },
);
