import { countsJson } from '../../../analysis/estimate/result/counts-json';
import { lostByClocks } from '../../../analysis/estimate/result/unjoined';
import { Join } from '../../../analysis/estimate/join/join';
import { seconds } from '../../../src/model/units';

const { reports: none } = countsJson(
  new Join({ skew: seconds(60), completeUntil: null }).result().counts,
  new Map(),
);

const countsOf = (used: number, missing: number): typeof none => ({
  ...none,
  read: 40,
  used,
  inconsistent: { ...none.inconsistent, window: missing },
});

test('reports outside all windows are a known loss, unless something else makes up for it', () => {
  const known = { missing: 2, expected: 12 };
  expect(lostByClocks(countsOf(10, 2), [null])).toEqual(known);
  expect(lostByClocks(countsOf(10, 2), [null, { from: 'delays' }])).toEqual(known);
  for (const from of ['heartbeats', 'reports', 'given'] as const)
    expect(lostByClocks(countsOf(10, 2), [null, { from }])).toBeNull();
});

test('nothing is said of windows if no report was used: no share can be passed then', () => {
  expect(lostByClocks(countsOf(0, 10), [null])).toBeNull();
});
