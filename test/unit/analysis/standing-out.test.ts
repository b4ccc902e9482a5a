import { analyse, type Analysis } from '../../../analysis/estimate/result/analysis';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { FLEXIBLE, numbered, statesOf, trial } from '../../../bench/trial-truths';

const source = simulated('navigation', 6, FLEXIBLE);

/** Of 250 sources of each of eight groups, 25 have one report. So many more of the first group reach the third bucket. */
function analysed(most: number, stream: number): Analysis {
  const groups = numbered(8).map((group, index) => {
    const few = index === 0 ? most : 0;
    const truths = [
      ...trial(250 - few, 25, statesOf(source, 2, [[0], [1]])),
      ...trial(few, few, statesOf(source, 2, [[0, 0, 1]])),
    ];
    return { group, tally: tallyOf(source, truths, seededRandomSource(`standing out ${index}`, stream)) };
  });
  return analyse(
    { configuration: source.configuration, groups },
    { level: 0.95, randomness: 'noise', likelihood: true, singles: false },
  );
}

/* The seeds are fixed. */
test.each([0, 1])(
  'a group that alone has many reports of a source keeps its own numbers (stream %s)',
  (stream) => {
    const { groups } = analysed(18, stream);
    for (const kind of ['conversions', 'value'] as const) {
      const [all, first, ...others] = groups.map(({ estimates }) => {
        const found = estimates.find(({ quantity }) => quantity.kind === kind);
        if (found?.likelihood == null) throw new Error('the model fits');
        return { unbiased: found.estimate.estimate, likely: found.likelihood };
      });
      expect(first?.likely.estimate).toBeCloseTo(first?.unbiased ?? NaN, 6);
      const sum = [first, ...others].reduce((total, group) => total + (group?.likely.estimate ?? NaN), 0);
      expect(all?.likely.estimate).toBeCloseTo(sum, 6);
      for (const { likely } of others)
        expect(likely.estimate).toBeLessThan((first?.likely.estimate ?? NaN) / 2);
    }
  },
);
