import { columnsOf, compared } from '../../collector/dashboard/client/comparison';
import type { Ranked } from '../../collector/dashboard/client/ranking';

const slice = (name: string, estimate: number, error: number) => ({
  slice: name,
  estimate,
  error,
  low: estimate - error,
  high: estimate + error,
});

const estimated = (value: number, half: number) => ({ value, low: value - half, high: value + half });

const ranked = (group: string, conversions: number, error: number): Ranked => ({
  group,
  sources: 100,
  rate: estimated(0.1, 0.01),
  conversions: estimated(conversions, 2 * error),
  error,
  truth: { rate: 0.1, conversions: 11 },
  alike: [],
});

test.each<[string, number, number, number | null]>([
  ['the summary is tighter', 8, 2, 4],
  ['the event-level reports are tighter', 2, 8, 0.25],
  ['an event-level variance is unknown', Infinity, 2, null],
  ['the summary has no noise', 1, 0, null],
])('%s', (_, eventError, error, ratio) => {
  const [row] = compared([slice('campaign=a', 12, error)], 'campaign', [ranked('a', 10, eventError)]);
  expect(row).toMatchObject({ group: 'a', summary: { value: 12 }, eventLevel: { value: 10 }, truth: 11 });
  if (ratio === null) expect(row?.ratio).toBeNull();
  else expect(row?.ratio).toBeCloseTo(ratio, 10);
});

test('only the slices by the property count, the largest first, with any name', () => {
  const slices = [slice('campaign=', 1, 1), slice('device=phone', 9, 1), slice('campaign=a=b', 2, 1)];
  expect(compared(slices, 'campaign', []).map(({ group }) => group)).toEqual(['a=b', '']);
  expect(columnsOf(slices)).toEqual(['campaign', 'device']);
});
