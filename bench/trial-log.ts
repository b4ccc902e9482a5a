import { Join } from '../analysis/estimate/join/join';
import { countsJson } from '../analysis/estimate/result/counts-json';
import { lostByClocks } from '../analysis/estimate/result/unjoined';
import type { Uniform } from '../analysis/estimate/likelihood/statistical-draws';
import type { CountedConfiguration } from '../analysis/estimate/unbiased/tally';
import { after, days, hours, milliseconds, minutes, moment, seconds } from '../src/model/units';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf, triggerDataOf } from '../src/states/source-space';
import type { Simulated } from './simulated';
import type { Log } from './trial-setting';

/** The outputs of the sources of a group. */
export interface Outputs {
  readonly group: readonly string[];
  readonly outputs: readonly string[];
}

const DAYS = 20;
const MEAN_DELAY = days(3);

/** What was counted of a log, and of its reports those that fit no window of their source. */
export interface Counted extends Pick<CountedConfiguration, 'groups' | 'delays'> {
  readonly byClocks?: ReturnType<typeof lostByClocks>;
}

/** Writes a log of sources with these outputs, takes it when the last window has ended, and joins it. */
export function joined(
  { configuration }: Simulated,
  groups: readonly Outputs[],
  { reused, delayed, ahead = 0 }: Log,
  uniform: Uniform,
): Counted {
  const { shape } = configuration;
  const data = triggerDataOf(shape);
  const space = new ReportSpace(shapeOf(shape));
  const lastEnd = data.flatMap(({ spec }) => spec.windows.ends).reduce((a, b) => (a > b ? a : b));
  const taken = after(after(moment(days(DAYS)), lastEnd), hours(1));
  const all = groups.flatMap(({ group, outputs }) => outputs.map((output) => ({ group, output })));
  const sources = all.map(({ group, output }, index) => ({
    identity: {
      sourceEventId: BigInt(index < reused * all.length ? all.length - 1 - index : index),
      reportingOrigin: 'https://ads.example',
      destinations: ['https://shop.example'],
      sourceType: 'event' as const,
    },
    time: moment(Math.floor(uniform() * days(DAYS))),
    group,
    output,
    isAhead: ahead > 0 && uniform() < ahead,
  }));
  const join = new Join({ skew: seconds(60), completeUntil: null });
  for (const { identity, time, group } of sources)
    join.addSource({ ...identity, time, group, configuration: { name: null, configuration } });
  for (const [index, { identity, time, output, isAhead }] of sources.entries())
    space.decode(BigInt(output)).forEach((placed, position) => {
      for (const [number, window] of placed.entries()) {
        const entry = data[position];
        const dueTime = after(time, entry?.spec.windows.ends[window] ?? minutes(0));
        const scheduledTime = isAhead ? after(dueTime, hours(1)) : dueTime;
        const delay =
          uniform() < delayed ? milliseconds(Math.floor(-Math.log(1 - uniform()) * MEAN_DELAY)) : seconds(1);
        const receivedTime = after(dueTime, delay);
        if (receivedTime > taken) continue;
        join.addReport({
          ...identity,
          reportId: `${index} ${position} ${number}`,
          triggerData: BigInt(entry?.triggerData ?? 0),
          scheduledTime,
          receivedTime,
          summaryBucket: null,
          noisyValue: null,
          randomizedTriggerRate: null,
        });
      }
    });
  const { configurations, counts } = join.result();
  const [counted] = configurations;
  if (counted === undefined) throw new Error('there must be sources');
  return { ...counted, byClocks: lostByClocks(countsJson(counts, new Map()).reports, []) };
}
