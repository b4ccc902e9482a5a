import { Rational } from '../../src/privacy/rational';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { answersOf, withModule } from './helpers/oracles';
import { falling, upTo } from './helpers/unbiased';

const isLong = process.env['COINTOSS_LONG'] !== undefined;

/* HiGHS, with evenly spaced outputs besides the randomizer's own, must not find a variance below the bound; nor one above its own. */
withModule('scipy')('HiGHS agrees', () => {
  const cases = [7, 12, ...(isLong ? [20, 50] : [])].flatMap((count) =>
    [0.5, 1, 3, 8].map((epsilon) => ({ count, epsilon })),
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
      const even = Array.from({ length: 61 }, (_, place) => (count * (place - 20)) / 20);
      return {
        epsilon,
        truths: upTo(count),
        prior: falling(count).map((share) => Rational.of(share).toNumber()),
        outputs: [...(found[index]?.outputs ?? []).map((output) => output.toNumber()), ...even],
      };
    });
    const least = answersOf('unbiased.py', tasks) as readonly number[];
    solved = found.map((own, index) => ({ own, least: least[index] ?? NaN }));
  });

  test.each(cases)('for $count values at ε = $epsilon', (one) => {
    const { own, least } = solved[cases.indexOf(one)] as Solved;
    const { variance, gap } = own;
    const ROUNDING = 1e-7;
    expect(least).toBeGreaterThanOrEqual(variance.minus(gap).toNumber() * (1 - ROUNDING));
    expect(least).toBeLessThanOrEqual(variance.toNumber() * (1 + ROUNDING));
    // The bound is as near as said.
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });
});
