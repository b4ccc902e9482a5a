import { lostHeartbeats } from '../analysis/estimate/unbiased/heartbeats';
import type { LostReports } from '../analysis/estimate/unbiased/lost-reports';
import type { Uniform } from '../analysis/estimate/likelihood/statistical-draws';
import { countStates, ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';
import { simulated, type Simulated } from './simulated';
import type { Setting } from './trial-setting';
import {
  alone,
  clicks,
  conversions,
  FLEXIBLE,
  grouped,
  known,
  numbered,
  ONE_DAY,
  statesOf,
  trial,
  views,
} from './trial-truths';

type Arrives = NonNullable<Setting['arrives']>;

/** One of the days on which reports are due, whose reports are all lost. */
const ONE_OF_DAYS = 1 / 20;

const oneDayLost: Arrives = () => (output, uniform) => (uniform() < ONE_OF_DAYS ? '0' : output);

/** Changes the windows of the reports of each trigger data; no more reports arrive than a source can have. */
const changed =
  (change: (placed: readonly number[], data: number, uniform: Uniform) => readonly number[]): Arrives =>
  ({ configuration }) => {
    const shape = shapeOf(configuration.shape);
    const space = new ReportSpace(shape);
    return (output, uniform) => {
      if (output === '0') return output;
      let left = shape.maxReports;
      const arrived = space.decode(BigInt(output)).map((placed, data) => {
        const own = change(placed, data, uniform).slice(0, left);
        left -= own.length;
        return own;
      });
      return String(space.encode(arrived));
    };
  };

/** Of the first half of eight trigger data. */
const halfLost = changed((placed, data, uniform) =>
  data < 4 ? placed.filter(() => uniform() >= 0.1) : placed,
);

/** A tenth of the reports of the first half of the trigger data comes again with another id. */
const someTwice = changed((placed, data, uniform) =>
  data < 4 ? placed.flatMap((window) => (uniform() < 0.1 ? [window, window] : [window])) : placed,
);

/** So many clicks with ε = 0, whose reports arrive as those of the others do. */
const heartbeatsThat =
  (sources: number, arrives: Arrives) =>
  (uniform: Uniform): LostReports => {
    const source = simulated('navigation', 0);
    const own = arrives(source);
    const states = Number(countStates(shapeOf(source.configuration.shape)));
    const tally = new Map<string, number>();
    for (let one = 0; one < sources; one++) {
      const output = own(String(Math.floor(uniform() * states)), uniform);
      tally.set(output, (tally.get(output) ?? 0) + 1);
    }
    const groups = [{ group: [], tally }];
    const found = lostHeartbeats([{ configuration: source.configuration, groups }], 0.95);
    if (found === null) throw new RangeError('there must be more heartbeats');
    return found;
  };

/** Clicks that convert with one of the first four trigger data. */
const firstHalf = (source: Simulated): readonly string[] =>
  trial(2000, 200, statesOf(source, 4, [[0], [1], [2]]));

/** Settings that break an assumption in a way that the others do not. */
export const UNTRIED: readonly Setting[] = [
  {
    name: 'views, ε = 2, all reports of one of 20 days lost, 500 heartbeats',
    type: 'event',
    epsilon: 2,
    groups: views(2000, 200),
    kinds: conversions,
    arrives: oneDayLost,
    given: heartbeatsThat(500, oneDayLost),
  },
  {
    name: 'clicks, ε = 8, all reports of one of 20 days lost, 5 % given',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: ['conversions', 'conversion-rate'],
    arrives: oneDayLost,
    given: known(ONE_OF_DAYS),
  },
  {
    name: 'clicks, ε = 8, 10 % of four trigger data lost, which alone convert, 500 heartbeats',
    type: 'navigation',
    epsilon: 8,
    groups: alone(firstHalf),
    kinds: conversions,
    arrives: halfLost,
    given: heartbeatsThat(500, halfLost),
  },
  {
    name: 'clicks, ε = 8, 10 % of the reports of four trigger data come twice',
    type: 'navigation',
    epsilon: 8,
    groups: clicks(2000, 200),
    kinds: ['conversions', 'conversion-rate'],
    arrives: someTwice,
  },
  {
    name: 'views, ε = 2, a tenth has the noise of ε = 1',
    type: 'event',
    epsilon: 2,
    groups: views(2000, 200),
    kinds: conversions,
    misstated: { share: 0.1, epsilon: 1 },
  },
  {
    name: 'views, ε = 2, clocks of 5 % of the devices an hour ahead',
    type: 'event',
    fields: ONE_DAY,
    epsilon: 2,
    groups: views(2000, 200),
    kinds: conversions,
    log: { reused: 0, delayed: 0, ahead: 0.05 },
  },
  {
    name: 'views, ε = 2, clocks of 5 % of the devices an hour ahead, their reports given as lost',
    type: 'event',
    fields: ONE_DAY,
    epsilon: 2,
    groups: views(2000, 200),
    kinds: conversions,
    log: { reused: 0, delayed: 0, ahead: 0.05 },
    isProposed: true,
  },
  {
    name: 'views, ε = 2, 40 groups of 3, a tenth converts',
    type: 'event',
    epsilon: 2,
    groups: grouped(numbered(40), 3, (index) => (index % 10 < 3 ? 1 : 0)),
    kinds: conversions,
  },
  {
    name: 'flexible, ε = 6, values with a heavy tail',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 6,
    groups: alone((source) => [
      ...trial(1980, 180, statesOf(source, 2, [[0], [1]])),
      ...trial(20, 20, statesOf(source, 2, [[0, 0, 1]])),
    ]),
    kinds: ['conversions', 'value'],
  },
  {
    name: 'flexible, ε = 5, reports of one conversion of 100 share a window',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 5,
    groups: alone((source) =>
      trial(500, 100, statesOf(source, 2, [[0], [1], [0, 0], [1, 1], [0, 0, 0], [1, 1, 1]])),
    ),
    kinds: ['conversions', 'value'],
  },
];
