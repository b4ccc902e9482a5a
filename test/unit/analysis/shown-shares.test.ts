import { shown, shownShare } from '../../../analysis/experiment/report-parts';

test.each([2, 6, 20, 200])(
  'a share that %i runs agree on has the bound at which 5 %% of such would agree',
  (runs) => {
    const [, least] = /^100 \(≥ (\d+)\)$/.exec(shownShare({ mean: 100, error: 0 }, runs)) ?? [];
    const [, most] = /^0\.00 \(≤ (\d+)\)$/.exec(shownShare({ mean: 0, error: 0 }, runs)) ?? [];
    const agree = (percent: number): number => (percent / 100) ** runs;
    expect(agree(Number(least))).toBeLessThanOrEqual(0.05);
    expect(agree(Number(least) + 1)).toBeGreaterThan(0.05);
    expect(Number(most)).toBe(100 - Number(least));
  },
);

test('another share has its standard error', () => {
  expect(shownShare({ mean: 95, error: 2 }, 6)).toBe('95.0 ± 2.0');
  expect(shownShare({ mean: 50, error: 0 }, 6)).toBe('50.0');
  expect(shownShare(undefined, 6)).toBe('–');
});

test('the rounding of doubles is no number, and no error', () => {
  expect(shown({ mean: -2e-13, error: 4e-13 })).toBe('0.00');
  expect(shown({ mean: 1 + 4e-11, error: 4e-11 })).toBe('1.0');
  expect(shown({ mean: 2e-5, error: 3e-6 })).toBe('0.000020 ± 0.000003');
});
