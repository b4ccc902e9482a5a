import { countsJson } from '../../../analysis/estimate/result/counts-json';
import { lostByClocks } from '../../../analysis/estimate/result/unjoined';
import { Join } from '../../../analysis/estimate/join/join';
import type { LostReports } from '../../../analysis/estimate/unbiased/lost-reports';
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

const known = { missing: 2, expected: 12 };
const upTo = (from: LostReports['from'], most: number): Pick<LostReports, 'from' | 'range'> => ({
  from,
  range: [0, most],
});

test('reports outside all windows are a known loss', () => {
  for (const losses of [[], [null], [upTo('delays', 0.3)]])
    expect(lostByClocks(countsOf(10, 2), losses)).toEqual(known);
});

test('they are none if the estimates of all configurations make up for them', () => {
  for (const losses of [
    [upTo('heartbeats', 0.2)],
    [upTo('reports', 0.2), upTo('reports', 0.3)],
    [upTo('given', 0)],
  ])
    expect(lostByClocks(countsOf(10, 2), losses)).toBeNull();
});

test.each<[string, readonly (Pick<LostReports, 'from' | 'range'> | null)[]]>([
  ['clicks that show the loss do not make up for impressions that show none', [null, upTo('reports', 0.2)]],
  ['heartbeats that show no such loss do not make up for it', [upTo('heartbeats', 0.01)]],
  ['late reports are others', [upTo('heartbeats', 0.2), upTo('delays', 0.3)]],
])('%s', (_, losses) => {
  expect(lostByClocks(countsOf(10, 2), losses)).toEqual(known);
});

test('nothing is said of windows if no report was used: no share can be passed then', () => {
  expect(lostByClocks(countsOf(0, 10), [null])).toBeNull();
});
