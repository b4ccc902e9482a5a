import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Configuration, Mechanism } from '../../../analysis/estimate/quantities/configuration';
import { CountedJoin, outcomeOf } from '../../../analysis/estimate/join/counted-join';
import { Join } from '../../../analysis/estimate/join/join';
import type { LoggedSource } from '../../../analysis/estimate/join/logged-source';
import { rulesOf } from '../../../analysis/estimate/join/joined-groups';
import { SourceOutputs } from '../../../analysis/estimate/join/source-outputs';
import type { UsedReport } from '../../../analysis/estimate/join/report-use';
import { after, days, epsilon, moment, probability, seconds, type Moment } from '../../../src/model/units';
import { accepted, parsedSource } from '../helpers/parsing';

const mechanisms: Readonly<Record<string, Mechanism>> = {
  response: { kind: 'rr' },
  // Sources that are silent lack the value that they should have sent.
  unbiased: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
};

const END = moment(days(40));

interface Sent {
  readonly due: number;
  readonly triggerData: bigint;
  readonly late: boolean;
  readonly noisyValue: number | null;
  readonly rate: number | null;
}

const report: fc.Arbitrary<Sent> = fc.record({
  // The source has two windows and trigger data 0 to 2.
  due: fc.constantFrom(2, 5, 6),
  triggerData: fc.bigInt(0n, 3n),
  late: fc.boolean(),
  noisyValue: fc.constantFrom(null, 0.5),
  rate: fc.constantFrom(null, 0.5),
});

/** A source of the log with its reports; the last report window of one without a configuration, or late, is not over. */
const source = fc.record({
  mechanism: fc.constantFrom('response', 'unbiased', null),
  group: fc.constantFrom('a', 'b'),
  isOpen: fc.boolean(),
  reports: fc.array(report, { maxLength: 4 }),
});

const SKEW = seconds(60);

test('sources and their reports may be counted beforehand, which changes nothing', () => {
  const { triggerSpecs, maxEventLevelReports, flexible } = accepted(
    parsedSource({
      destination: 'https://shop.example',
      trigger_data: [0, 1, 2],
      event_report_windows: { end_times: [2, 5].map((day) => day * 86_400) },
    }),
  );
  const shape = { triggerSpecs, maxEventLevelReports, flexible };
  const configurationOf = (mechanism: Mechanism): Configuration => ({
    shape,
    epsilon: epsilon(1),
    mechanism,
  });
  // Once, because the search for an unbiased randomizer takes longer than all the rest.
  const rules = new Map(
    Object.entries(mechanisms).map(([name, mechanism]) => [name, rulesOf(configurationOf(mechanism))]),
  );
  const named = (name: string | null): LoggedSource['configuration'] => {
    const mechanism = name === null ? undefined : mechanisms[name];
    return mechanism === undefined ? null : { name, configuration: configurationOf(mechanism) };
  };
  const reportOf = (time: Moment, { due, late, rate, ...rest }: Sent): UsedReport => ({
    ...rest,
    scheduledTime: after(time, days(due)),
    receivedTime: after(after(time, days(due)), seconds(late ? 7200 : 1)),
    summaryBucket: null,
    randomizedTriggerRate: rate === null ? null : probability(rate),
  });
  fc.assert(
    fc.property(fc.array(source, { maxLength: 20 }), (sources) => {
      const single = new Join({ skew: SKEW, completeUntil: END });
      const counted = new CountedJoin();
      const logged = sources.map(({ mechanism, group, isOpen, reports }, index) => {
        const time = moment(days(isOpen ? 39 : 1));
        const identity = {
          sourceEventId: BigInt(index),
          reportingOrigin: 'https://ads.example',
          destinations: ['https://shop.example'],
          sourceType: 'event' as const,
        };
        const known = { ...identity, time, configuration: named(mechanism), group: [group] };
        single.addSource(known);
        return { identity, known, isOpen, reports: reports.map((sent) => reportOf(time, sent)) };
      });
      for (const [index, { identity, known, isOpen, reports }] of logged.entries()) {
        reports.forEach((sent, number) =>
          single.addReport({ ...identity, ...sent, reportId: `${index} ${number}` }),
        );
        const own = rules.get(known.configuration?.name ?? '') ?? null;
        counted.add(known, isOpen, outcomeOf(own, reports, known.time, SKEW));
      }
      expect(counted.result(0, END)).toEqual(single.result());
    }),
    { seed: 5 },
  );
});

describe('sources that use an id again', () => {
  const shape = accepted(
    parsedSource({
      destination: 'https://shop.example',
      trigger_data: [0, 1],
      event_report_windows: { end_times: [2, 5].map((day) => day * 86_400) },
    }),
  );
  const configuration = {
    name: 'view',
    configuration: { shape, epsilon: epsilon(1), mechanism: { kind: 'rr' as const } },
  };
  const identity = {
    sourceEventId: 7n,
    reportingOrigin: 'https://ads.example',
    destinations: ['https://shop.example'],
    sourceType: 'event' as const,
  };
  const logged = (at: number): LoggedSource => ({
    ...identity,
    time: moment(at),
    configuration,
    group: [],
  });
  const due = (at: number, window: number, reportId: string): Parameters<Join['addReport']>[0] => ({
    ...identity,
    reportId,
    triggerData: 1n,
    scheduledTime: moment(at + days(window)),
    receivedTime: null,
    summaryBucket: null,
    randomizedTriggerRate: null,
    noisyValue: null,
  });
  const joined = (
    times: readonly number[],
    reports: readonly Parameters<Join['addReport']>[0][] = [],
  ): ReturnType<Join['result']> => {
    const join = new Join({ skew: SKEW, completeUntil: null });
    for (const at of times) join.addSource(logged(at));
    for (const one of reports) join.addReport(one);
    return join.result();
  };
  const [day, hour] = [days(1), 3_600_000];

  test('are told apart by when their reports are due', () => {
    const { counts, configurations } = joined(
      [0, hour, 10 * day],
      [due(0, 2, 'a'), due(hour, 5, 'b'), due(hour, 2, 'c')],
    );
    expect(counts.sources).toMatchObject({ read: 3, used: 3, ambiguous: 0, reused: 3 });
    expect(counts.reports).toMatchObject({ used: 3, unusedSource: 0 });
    // One report of the first, two of the second, none of the third.
    const tally = configurations[0]?.groups[0]?.tally ?? new Map<string, number>();
    expect([...tally.values()]).toEqual([1, 1, 1]);
    expect(tally.get('0')).toBe(1);
  });

  test('are not used if a report could be due for two of them, in any order', () => {
    // Three days apart: the first window of one ends with the second of another.
    for (const times of [
      [0, 3 * day, 20 * day],
      [20 * day, 0, 3 * day],
      [3 * day, 20 * day, 0],
    ]) {
      const { counts } = joined(times, [due(0, 5, 'a'), due(20 * day, 2, 'b')]);
      expect(counts.sources).toMatchObject({ read: 3, used: 1, ambiguous: 2, reused: 1 });
      expect(counts.reports).toMatchObject({ used: 1, unusedSource: 1 });
    }
  });

  test('an id that a floating-point number rounds up to 2 to the power of 64 is not that of source 0', () => {
    const join = new Join({ skew: SKEW, completeUntil: null });
    join.addSource({ ...logged(0), sourceEventId: 0n });
    join.addReport({ ...due(0, 2, 'a'), sourceEventId: 2n ** 64n - 1n });
    expect(join.digitsLostIn()).toBeNull();
  });

  test('share what their reports say, in whatever order these came', () => {
    const rules = rulesOf(configuration.configuration);
    const textOf = (...windows: readonly number[]): string => {
      const outputs = new SourceOutputs();
      for (const window of windows)
        expect(outputs.add(rules, due(0, window, ''), moment(0), SKEW)).toBeNull();
      return outputs.text();
    };
    expect(textOf(2, 5)).toBe(textOf(5, 2));
    expect(textOf(2, 2)).not.toBe(textOf(5, 2));
  });

  test('share it whatever reports did not fit, which still count for each source', () => {
    const outputs = new SourceOutputs();
    const rules = rulesOf(configuration.configuration);
    const before = outputs.text();
    for (let misfit = 1; misfit <= 5; misfit++) {
      expect(outputs.add(rules, due(0, 3, ''), moment(0), SKEW)).toBe('window');
      expect(outputs.misfits).toBe(misfit);
      expect(outputs.text()).toBe(before);
    }
    // The first source is flooded, and the others share its outputs.
    const join = new Join({ skew: SKEW, completeUntil: null });
    const ids = [0n, 1n, 2n];
    for (const id of ids) join.addSource({ ...logged(0), sourceEventId: id });
    for (const id of ids) {
      for (let misfit = 0; misfit < (id === 0n ? 99 : 50); misfit++)
        join.addReport({ ...due(0, 3, `${misfit}`), sourceEventId: id });
      join.addReport({ ...due(0, 2, 'fits'), sourceEventId: id });
    }
    const { counts } = join.result();
    expect(counts.sources).toMatchObject({ used: 2, flooded: 1 });
    expect(counts.reports).toMatchObject({ used: 3, inconsistent: { window: 199 } });
  });

  test('and reports with made-up destinations, types and origins leave nothing', () => {
    const join = new Join({ skew: SKEW, completeUntil: null });
    join.addSource(logged(0));
    const kept = (): string => inspect(join, { depth: null, maxArrayLength: null });
    const reportId = (id: number): string => `${id}1234567-89ab-4cde-8f01-23456789abcd`;
    const others = [
      { destinations: ['https://made-up.example'] },
      { reportingOrigin: 'https://made-up.example' },
      { sourceType: 'navigation' as const },
    ];
    for (const [id, other] of others.entries()) join.addReport({ ...due(0, 2, reportId(id)), ...other });
    expect(kept()).not.toMatch(/made-up|navigation/);
    join.addReport({ ...due(0, 2, reportId(9)), destinations: ['https://www.shop.example'] });
    expect(kept()).toContain('https://www.shop.example');
    expect(join.result().counts.reports).toMatchObject({ used: 1, unknownSource: 3 });
  });

  test('are compared with a few others only, so that one id for all is no more work', () => {
    const times = Array.from({ length: 2000 }, (_, index) => index * 11 * day);
    const { counts } = joined(times, [due(0, 2, 'a')]);
    expect(counts.sources).toMatchObject({ read: 2000, used: 0, ambiguous: 2000, reused: 0 });
    expect(counts.reports).toMatchObject({ used: 0, unusedSource: 1 });
  });

  test('are told apart at a cost that their number of trigger data does not change', () => {
    /** The processor time in µs for 2,000 sources with so many trigger data. */
    const costWith = (data: number): number => {
      const shape = accepted(
        parsedSource({
          destination: 'https://shop.example',
          trigger_data: Array.from({ length: data }, (_, one) => one),
          event_report_windows: { end_times: [1, 2, 3, 4, 5].map((day) => day * 86_400) },
        }),
      );
      const own = { ...configuration, configuration: { ...configuration.configuration, shape } };
      const started = process.cpuUsage();
      const join = new Join({ skew: SKEW, completeUntil: null });
      for (let source = 0; source < 2000; source++)
        join.addSource({
          ...logged((source % 16) * 11 * day),
          sourceEventId: BigInt(source >> 4),
          configuration: own,
        });
      const { user } = process.cpuUsage(started);
      expect(join.result().counts.sources).toMatchObject({ used: 2000, reused: 2000 });
      return user;
    };
    costWith(1);
    const tries = Array.from({ length: 5 }, () => costWith(32) / costWith(1));
    // All pairs of windows of all trigger data would be 1,024 times as many.
    expect(Math.min(...tries)).toBeLessThan(10);
  });

  test('and no report that belongs to no source, or came before, says until when reports arrived', () => {
    const hours = [0, 1, 2, 3, 4, 5, 6, 7];
    const reports = hours.map((at) => ({
      ...due(at * hour, 2, `report ${at}`),
      sourceEventId: BigInt(at),
      receivedTime: moment(at * hour + days(2) + hour),
    }));
    const delaysWith = (more: readonly Parameters<Join['addReport']>[0][]): unknown => {
      const join = new Join({ skew: SKEW, completeUntil: null });
      for (const at of hours) join.addSource({ ...logged(at * hour), sourceEventId: BigInt(at) });
      for (const one of [...reports, ...more]) join.addReport(one);
      return join.result().configurations[0]?.delays;
    };
    const [first = due(0, 2, 'none')] = reports;
    const far = moment(days(4000));
    expect(delaysWith([])).toHaveLength(hours.length);
    expect(delaysWith([{ ...first, receivedTime: far }])).toEqual(delaysWith([]));
    expect(delaysWith([{ ...first, reportId: 'a stranger', sourceEventId: 99n, receivedTime: far }])).toEqual(
      delaysWith([]),
    );
  });
});
