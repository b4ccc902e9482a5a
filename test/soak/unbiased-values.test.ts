import { checkExactly, falling, upTo } from '../unit/helpers/unbiased';

test('400 values, the most', () => {
  const { variance, gap } = checkExactly(upTo(400), falling(400), 1);
  expect(gap.over(variance).toNumber()).toBeLessThan(1e-3);
  // The least over 120 evenly spaced outputs from 1.5 ranges below to 1.5 above is 0.970801·399² = 154,553.
  expect(variance.toNumber()).toBeLessThan(154_553);
}, 300_000);
