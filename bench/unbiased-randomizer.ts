import { unbiasedRandomizer } from '../src/privacy/unbiased-randomizer';

const COUNTS = [12, 60, 100, 200, 401];
const EPSILONS = [1, 3, 8, 14];

/**
 * Prints the processor time and the certified gap of the unbiased randomizer of the values 0, 1, 2, …, with prior probabilities that fall as
 * 1/(1 + value).
 * @param count of values; without it, some from 12 to 401.
 * @param epsilons without any, from 1 to 14.
 */
export function benchUnbiasedRandomizer(count?: number, epsilons: readonly string[] = []): void {
  for (const size of count === undefined ? COUNTS : [count])
    for (const epsilon of epsilons.length > 0 ? epsilons.map(Number) : EPSILONS) {
      const before = process.cpuUsage();
      const { variance, gap } = unbiasedRandomizer(upTo(size), falling(size), epsilon);
      const { user, system } = process.cpuUsage(before);
      const share = 100 * gap.over(variance).toNumber();
      process.stdout.write(
        `${size} values, ε = ${epsilon}: ${((user + system) / 1e6).toFixed(1)} s of processor time, gap ${share.toPrecision(2)} % of the variance\n`,
      );
    }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, value) => value);

function falling(count: number): string[] {
  const weights = upTo(count).map((value) => Math.round(1e6 / (1 + value)));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => `${weight}/${total}`);
}
