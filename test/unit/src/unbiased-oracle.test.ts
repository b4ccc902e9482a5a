import { Rational } from '../../../src/privacy/rational';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { answersOf, withModule } from '../helpers/oracles';
import { falling, upTo } from '../helpers/unbiased';

const isLong = process.env['COINTOSS_LONG'] !== undefined;

/* HiGHS, with evenly spaced outputs besides the randomizer's own, must not find a variance below the bound; nor one above its own. */
withModule('scipy')('HiGHS agrees', () => {
  const cases = [3, 7, ...(isLong ? [12, 20, 50] : [])].flatMap((count) =>
    [1e-6, 0.5, 3, 14, ...(isLong ? [1e-3, 0.1, 1, 8, 11] : [])].map((epsilon) => ({ count, epsilon })),
  );
  interface Solved {
    readonly own: ReturnType<typeof unbiasedRandomizer>;
    /** What HiGHS finds. */
    readonly least: number;
  }
  let solved: readonly Solved[];

  // All at once, because Python takes longer to load HiGHS than to answer.
  beforeAll(() => {
    const found = cases.map(({ count, epsilon }) => unbiasedRandomizer(upTo(count), falling(count), epsilon));
    const tasks = cases.map(({ count, epsilon }, index) => {
      // For small ε, the least variance needs outputs as far out as 1/ε.
      const reach = count * Math.max(1, 1 / epsilon);
      const even = Array.from({ length: 61 }, (_, place) => (reach * (place - 30)) / 20);
      return {
        epsilon,
        truths: upTo(count),
        prior: falling(count).map((share) => Rational.of(share).toNumber()),
        scale: found[index]?.variance.toNumber(),
        outputs: [...(found[index]?.outputs ?? []).map((output) => output.toNumber()), ...even],
      };
    });
    const least = answersOf('unbiased.py', tasks) as readonly number[];
    solved = found.map((own, index) => ({ own, least: least[index] ?? NaN }));
  });

  test.each(cases)('for $count values at ε = $epsilon', (one) => {
    const { own, least } = solved[cases.indexOf(one)] as Solved;
    const { variance, gap } = own;
    // HiGHS's tolerances, in shares of the variance.
    const ROUNDING = 1e-5;
    expect(least).toBeGreaterThanOrEqual(variance.minus(gap).toNumber() * (1 - ROUNDING));
    expect(least).toBeLessThanOrEqual(variance.toNumber() * (1 + ROUNDING));
    // The bound is as near as said.
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });
});
