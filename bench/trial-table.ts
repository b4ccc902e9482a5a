import { lostOf, type LostReports } from '../analysis/estimate/lost-reports';
import type { JsonObject } from '../src/model/json';
import type { Simulated } from './simulated';
import type { Setting } from './trial-setting';

/** States that the sources with a conversion have in turn; the others have none. */
const trial = (sources: number, converting: number, states: readonly string[]): readonly string[] =>
  Array.from({ length: sources }, (_, index) =>
    index < converting ? (states[index % states.length] ?? '0') : '0',
  );

/** One state for each trigger data and each list of windows. */
const statesOf = (
  source: Simulated,
  data: number,
  windows: readonly (readonly number[])[],
): readonly string[] =>
  windows.flatMap((placed) =>
    Array.from({ length: data }, (_, position) => source.stateOf(position, placed)),
  );

const alone =
  (of: (source: Simulated) => readonly string[]): Setting['groups'] =>
  (source) => [{ group: [], truths: of(source) }];

const views = (sources: number, converting: number): Setting['groups'] =>
  alone((source) => trial(sources, converting, statesOf(source, 2, [[0]])));

const clicks = (
  sources: number,
  converting: number,
  windows: readonly (readonly number[])[] = [[0], [1], [2]],
): Setting['groups'] => alone((source) => trial(sources, converting, statesOf(source, 8, windows)));

/** Groups of views, of which each has its own number of conversions. */
const grouped =
  (
    names: readonly (readonly string[])[],
    sources: number,
    converting: (index: number) => number,
  ): Setting['groups'] =>
  (source) =>
    names.map((group, index) => ({
      group,
      truths: trial(sources, converting(index), statesOf(source, 2, [[0]])),
    }));

const FLEXIBLE: JsonObject = {
  max_event_level_reports: 3,
  trigger_specs: [{ trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10, 100] }],
  event_report_windows: { end_times: [86_400, 172_800] },
};

const numbered = (count: number): readonly (readonly string[])[] =>
  Array.from({ length: count }, (_, index) => [String(index).padStart(2, '0')]);

const known = (rate: number): LostReports => ({ rate, range: [rate, rate], from: 'given' });

const conversions = ['conversions'] as const;

const ONE_DAY: JsonObject = { event_report_windows: { end_times: [86_400] } };

export const SETTINGS: readonly Setting[] = [
  { name: 'views, ε = 1', type: 'event', epsilon: 1, groups: views(2000, 200), kinds: conversions },
  {
    name: 'views, ε = 1, 5 % lost, not said',
    type: 'event',
    epsilon: 1,
    groups: views(2000, 200),
    kinds: conversions,
    lost: 0.05,
  },
  {
    name: 'views, ε = 1, 5 % lost, given',
    type: 'event',
    epsilon: 1,
    groups: views(2000, 200),
    kinds: ['conversions', 'conversion-rate', 'trigger-data'],
    lost: 0.05,
    given: known(0.05),
  },
  {
    name: 'views, ε = 1, 10 % lost, 200 of 2,000 counted',
    type: 'event',
    epsilon: 1,
    groups: views(2000, 200),
    kinds: conversions,
    lost: 0.1,
    given: lostOf(200, 2000, 0.95),
  },
  {
    name: 'clicks, ε = 8, 5 % lost, given',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: ['conversions', 'conversion-rate', 'trigger-data'],
    lost: 0.05,
    given: known(0.05),
  },
  {
    name: 'clicks, ε = 8, 2 % lost, not said',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: conversions,
    lost: 0.02,
  },
  {
    name: 'clicks, ε = 8, 20 % lost, not said, several reports each',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200, [[0], [0, 1], [2]]),
    kinds: conversions,
    lost: 0.2,
  },
  {
    name: 'clicks, ε = 8',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: ['conversions', 'trigger-data', 'conversion-rate'],
  },
  {
    name: 'clicks, ε = 8, 5 % lost, not said',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: conversions,
    lost: 0.05,
  },
  {
    name: 'clicks, ε = 10, none converts',
    type: 'navigation',
    epsilon: 10,
    groups: clicks(2000, 0),
    kinds: conversions,
  },
  {
    name: 'clicks, ε = 6, three reports of one datum',
    type: 'navigation',
    epsilon: 6,
    groups: clicks(500, 50, [[0, 0, 1]]),
    kinds: ['conversions', 'trigger-data'],
  },
  {
    name: 'flexible, ε = 6, reports of one conversion share a window',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 6,
    groups: alone((source) =>
      trial(2000, 400, statesOf(source, 2, [[0], [1], [0, 0], [1, 1], [0, 0, 0], [1, 1, 1]])),
    ),
    kinds: ['conversions', 'window', 'value'],
  },
  {
    name: 'views, ε = 2, one of 30 groups at 80 %',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(30), 30, (index) => (index === 7 ? 24 : index % 5 < 3 ? 1 : 0)),
    kinds: conversions,
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '07' ? 'the one' : 'the others'),
  },
  {
    name: 'views, ε = 1, hierarchy 5 × 6',
    type: 'event',
    epsilon: 1,
    groups: grouped(
      Array.from({ length: 30 }, (_, index) => [String(Math.floor(index / 6)), String(index)]),
      100,
      (index) => 2 + 4 * Math.floor(index / 6) + (index % 6),
    ),
    kinds: conversions,
  },
  {
    name: 'views, ε = 1, 40 groups alike',
    type: 'event',
    epsilon: 1,
    groups: grouped(numbered(40), 50, (index) => 2 + (index % 7)),
    kinds: conversions,
  },
  {
    name: 'views, ε = 2, people are drawn, n = 200',
    type: 'event',
    epsilon: 2,
    groups: views(200, 20),
    kinds: conversions,
    sampling: (uniform, truths) => truths[Math.floor(uniform() * truths.length)] ?? '0',
  },
  {
    name: 'clicks, ε = 6, crowded',
    type: 'navigation',
    epsilon: 6,
    groups: clicks(500, 250, [[0]]),
    kinds: conversions,
  },
  {
    name: 'clicks, ε = 3, crowded',
    type: 'navigation',
    epsilon: 3,
    groups: clicks(500, 250, [[0]]),
    kinds: conversions,
  },
  {
    name: 'views, ε = 1, 10 % of ids used again',
    type: 'event',
    fields: ONE_DAY,
    epsilon: 1,
    groups: views(2000, 200),
    kinds: conversions,
    log: { reused: 0.1, delayed: 0 },
  },
  {
    name: 'views, ε = 1, 9 % of reports still under way',
    type: 'event',
    fields: ONE_DAY,
    epsilon: 1,
    groups: views(2000, 200),
    kinds: conversions,
    log: { reused: 0, delayed: 0.6 },
  },
  {
    name: 'clicks, ε = 8, 9 % of reports still under way',
    type: 'navigation',
    fields: { event_report_windows: { end_times: [86_400, 172_800] } },
    epsilon: 8,
    groups: clicks(2000, 200, [[0], [1]]),
    kinds: conversions,
    log: { reused: 0, delayed: 0.6 },
  },
  {
    name: 'views, ε = 1, 10 % lost and 9 % under way',
    type: 'event',
    fields: ONE_DAY,
    epsilon: 1,
    groups: views(2000, 200),
    kinds: conversions,
    lost: 0.1,
    log: { reused: 0, delayed: 0.6 },
  },
  {
    name: 'clicks, ε = 8, 10 % lost and 9 % under way',
    type: 'navigation',
    fields: { event_report_windows: { end_times: [86_400, 172_800] } },
    epsilon: 8,
    groups: clicks(2000, 200, [[0], [1]]),
    kinds: conversions,
    lost: 0.1,
    log: { reused: 0, delayed: 0.6 },
  },
];
