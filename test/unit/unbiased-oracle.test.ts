import { Rational } from '../../src/privacy/rational';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { answersOf, withModule } from './helpers/oracles';
import { falling, upTo } from './helpers/unbiased';

const isLong = process.env['COINTOSS_LONG'] !== undefined;

/* HiGHS, with evenly spaced outputs besides the randomizer's own, must not find a variance below the bound; nor one above its own. */
withModule('scipy')('HiGHS agrees', () => {
  const cases = [3, 7, ...(isLong ? [12, 20, 50] : [])].flatMap((count) =>
    [1e-6, 0.5, 3, 14, ...(isLong ? [1e-3, 0.1, 1, 8, 11] : [])].map((epsilon) => ({ count, epsilon })),
  );
  test.each(cases)('for $count values at ε = $epsilon', ({ count, epsilon }) => {
    const prior = falling(count);
    const { variance, gap, outputs } = unbiasedRandomizer(upTo(count), prior, epsilon);
    // For small ε, the least variance needs outputs as far out as 1/ε.
    const reach = count * Math.max(1, 1 / epsilon);
    const even = Array.from({ length: 61 }, (_, index) => (reach * (index - 30)) / 20);
    const task = {
      epsilon,
      truths: upTo(count),
      prior: prior.map((share) => Rational.of(share).toNumber()),
      scale: variance.toNumber(),
      outputs: [...outputs.map((output) => output.toNumber()), ...even],
    };
    const [least] = answersOf('unbiased.py', [task]) as [number];
    // HiGHS's tolerances, in shares of the variance.
    const ROUNDING = 1e-5;
    expect(least).toBeGreaterThanOrEqual(variance.minus(gap).toNumber() * (1 - ROUNDING));
    expect(least).toBeLessThanOrEqual(variance.toNumber() * (1 + ROUNDING));
    // The bound is as near as said.
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });
});
