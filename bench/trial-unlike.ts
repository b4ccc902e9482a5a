import type { Setting } from './trial-setting';
import {
  clicks,
  conversions,
  countedOf,
  FLEXIBLE,
  grouped,
  heartbeats,
  known,
  numbered,
  statesOf,
  trial,
} from './trial-truths';

const UNLIKE_PARENTS = [
  ...Array.from({ length: 40 }, (_, index) => ['alike', String(index)]),
  ['unlike', 'low'],
  ['unlike', 'high'],
];

const CUBE = Array.from({ length: 27 }, (_, index) => [
  String(Math.floor(index / 9)),
  String(Math.floor(index / 3)),
  String(index),
]);

/** Groups that differ from each other, and losses and ids that differ from what the command is given. */
export const UNLIKE: readonly Setting[] = [
  {
    name: 'views, ε = 2, 40 groups alike beside two that are not',
    type: 'event',
    epsilon: 2,
    groups: grouped(UNLIKE_PARENTS, 200, (index) => (index < 40 ? 20 : index === 40 ? 10 : 60)),
    kinds: conversions,
    levelOf: (group) =>
      group.length === 0
        ? 'all'
        : group.length === 1
          ? 'the two parents'
          : group[0] === 'alike'
            ? 'those alike'
            : `the ${group[1] ?? ''} one`,
  },
  {
    name: 'views, ε = 1, hierarchy 3 × 3 × 3',
    type: 'event',
    epsilon: 1,
    groups: grouped(CUBE, 100, (index) => 4 * Math.floor(index / 9) + 2 * (index % 3)),
    kinds: conversions,
  },
  {
    name: 'views, ε = 2, five of 100 groups at 50 %',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(100), 40, (index) => (index % 20 === 0 ? 20 : index % 2)),
    kinds: conversions,
    levelOf: (group) =>
      group.length === 0 ? 'all' : Number(group[0]) % 20 === 0 ? 'the five' : 'the others',
  },
  {
    name: 'views, ε = 2, a group of one source beside 1,000',
    type: 'event',
    epsilon: 2,
    groups: (source) =>
      [1, 1000].map((sources, index) => ({
        group: [['one', 'many'][index] ?? ''],
        truths: trial(sources, sources === 1 ? 1 : 100, statesOf(source, 2, [[0]])),
      })),
    kinds: conversions,
    levelOf: (group) => (group.length === 0 ? 'all' : (group[0] ?? '')),
  },
  {
    name: 'flexible, ε = 6, groups with conversions in different windows',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 6,
    groups: (source) =>
      numbered(4).map((group, index) => ({
        group,
        truths: trial(500, 25 * (index + 1), statesOf(source, 2, [[index % 2]])),
      })),
    kinds: ['conversions', 'window'],
  },
  {
    name: 'views, ε = 2, 5 % lost in one of two groups, 5 % given',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(2), 1000, () => 100),
    kinds: conversions,
    lost: 0.05,
    lostIn: 0,
    given: known(0.05),
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '00' ? 'the one' : 'the other'),
  },
  {
    name: 'views, ε = 2, 5 % lost in one of two groups, 500 heartbeats in each',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(2), 1000, () => 100),
    kinds: conversions,
    lost: 0.05,
    lostIn: 0,
    given: heartbeats(500, 0.05, 0),
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '00' ? 'the one' : 'the other'),
  },
  {
    name: 'clicks, ε = 8, 5 % lost, 100 counted',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: conversions,
    lost: 0.05,
    given: countedOf(0.05, 100),
  },
  {
    name: 'clicks, ε = 8, 10 % of ids used again',
    type: 'navigation',
    fields: { event_report_windows: { end_times: [86_400, 172_800] } },
    epsilon: 8,
    groups: clicks(2000, 200, [[0], [1]]),
    kinds: conversions,
    log: { reused: 0.1, delayed: 0 },
  },
  {
    name: 'views, ε = 2, everyone converts in one of two groups, nobody in the other',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(2), 100, (index) => 100 * index),
    kinds: conversions,
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '00' ? 'nobody' : 'everyone'),
  },
  {
    name: 'views, ε = 2, one group of 5,000 at 2 % beside 20 of 50 at 30 %',
    type: 'event',
    epsilon: 2,
    groups: (source) =>
      numbered(21).map((group, index) => ({
        group,
        truths: trial(index === 0 ? 5000 : 50, index === 0 ? 100 : 15, statesOf(source, 2, [[0]])),
      })),
    kinds: conversions,
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '00' ? 'the large one' : 'the others'),
  },
];
