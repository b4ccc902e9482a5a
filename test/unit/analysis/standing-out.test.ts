import { analyse, type Analysis } from '../../../analysis/estimate/result/analysis';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { FLEXIBLE, numbered, statesOf, trial } from '../../../bench/trial-truths';

const source = simulated('navigation', 6, FLEXIBLE);

/** Of 250 sources of each of eight groups, 25 have one report. So many more of the first groups reach the third bucket. @param parts of each group */
function analysed(most: number, stream: number, parts: readonly string[] = [], first = 1): Analysis {
  const groups = numbered(8).flatMap((group, index) => {
    const few = index < first ? most : 0;
    const truths = [
      ...trial(250 - few, 25, statesOf(source, 2, [[0], [1]])),
      ...trial(few, few, statesOf(source, 2, [[0, 0, 1]])),
    ];
    const random = seededRandomSource(`standing out ${index}`, stream);
    if (parts.length === 0) return [{ group, tally: tallyOf(source, truths, random) }];
    return parts.map((part, place) => {
      const own = truths.filter((_, truth) => truth % parts.length === place);
      return { group: [...group, part], tally: tallyOf(source, own, random) };
    });
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

test('its value stays that of its own reports if it has parts, which add up to it', () => {
  const { groups } = analysed(24, 0, ['a', 'b']);
  const valueOf = (...group: readonly string[]): { readonly own: number; readonly likely: number } => {
    const found = groups
      .find((one) => one.group.join() === group.join())
      ?.estimates.find(({ quantity }) => quantity.kind === 'value');
    if (found?.likelihood == null) throw new Error('the model fits');
    return { own: found.estimate.estimate, likely: found.likelihood.estimate };
  };
  const [name = ''] = groups.map(({ group }) => group).find(({ length }) => length === 1) ?? [];
  const first = valueOf(name);
  expect(first.likely).toBeCloseTo(first.own, 6);
  expect(valueOf(name, 'a').likely + valueOf(name, 'b').likely).toBeCloseTo(first.own, 6);
});

test('two groups that stand out keep their own numbers, too', () => {
  const { groups } = analysed(36, 0, [], 2);
  for (const kind of ['conversions', 'value'] as const)
    for (const { estimates } of groups.slice(1, 3)) {
      const found = estimates.find(({ quantity }) => quantity.kind === kind);
      expect(found?.likelihood?.estimate).toBeCloseTo(found?.estimate.estimate ?? NaN, 6);
    }
});
