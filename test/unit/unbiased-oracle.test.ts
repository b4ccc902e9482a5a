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
  test.each(cases)('for $count values at ε = $epsilon', ({ count, epsilon }) => {
    const prior = falling(count);
    const { variance, gap, outputs } = unbiasedRandomizer(upTo(count), prior, epsilon);
    const even = Array.from({ length: 61 }, (_, index) => (count * (index - 20)) / 20);
    const task = {
      epsilon,
      truths: upTo(count),
      prior: prior.map((share) => Rational.of(share).toNumber()),
      outputs: [...outputs.map((output) => output.toNumber()), ...even],
    };
    const [least] = answersOf('unbiased.py', [task]) as [number];
    const ROUNDING = 1e-7;
    expect(least).toBeGreaterThanOrEqual(variance.minus(gap).toNumber() * (1 - ROUNDING));
    expect(least).toBeLessThanOrEqual(variance.toNumber() * (1 + ROUNDING));
    // The bound is as near as said.
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });
});
