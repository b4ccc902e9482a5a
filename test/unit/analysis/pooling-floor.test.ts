import { readFileSync } from 'node:fs';
import path from 'node:path';
import { leastError } from '../../../bench/pooling-floor';
import { root } from '../../../node/root';

test('what must do well at 0 does worse elsewhere, and the unbiased estimate is allowed everywhere', () => {
  // The risk of the unbiased estimate is 1 at every truth, so no floor with that allowed is above it.
  expect(leastError(1, 4, 1)).toBeLessThan(1);
  expect(leastError(1, 4, 0.05)).toBeGreaterThan(leastError(1, 4, 0.2));
});

test('the floors are those of the page', () => {
  const floors = [0.05, 0.1, 0.2].flatMap((share) =>
    (
      [
        [1, 4],
        [2, 3],
      ] as const
    ).map(([from, to]) => leastError(from, to, 1.05 ** 2 * share).toFixed(2)),
  );
  const page = readFileSync(path.join(root, 'docs', 'trial-settings.md'), 'utf8').replaceAll('\n', ' ');
  const [a, b, c, d, e, f] = floors;
  expect(page).toMatch(new RegExp(String.raw`\| 0\.05 of the unbiased one +\| ${a} +\| ${b} +\|`));
  expect(page).toMatch(new RegExp(String.raw`\| 0\.1 +\| ${c} +\| ${d} +\|`));
  expect(page).toMatch(new RegExp(String.raw`\| 0\.2 +\| ${e} +\| ${f} +\|`));
});

test('no floor is above an estimate that there is', () => {
  // Keeps what is beyond a threshold, and otherwise is 0: a risk at 0 of E[z²; |z| > t], and elsewhere as it is summed here.
  const density = (x: number): number => Math.exp((x * x) / -2) / Math.sqrt(2 * Math.PI);
  const riskOf = (threshold: number, truth: number): number => {
    let risk = 0;
    for (let seen = -14; seen <= 14; seen += 0.01) {
      const estimate = Math.abs(seen) > threshold ? seen : 0;
      risk += (estimate - truth) ** 2 * density(seen - truth) * 0.01;
    }
    return risk;
  };
  for (const threshold of [1.5, 2.5, 3.5]) {
    const truths = Array.from({ length: 31 }, (_, step) => 1 + step / 10);
    const mean = truths.reduce((sum, truth) => sum + riskOf(threshold, truth), 0) / truths.length;
    expect(leastError(1, 4, riskOf(threshold, 0))).toBeLessThan(Math.sqrt(mean));
  }
});
