import fc from 'fast-check';
import type { Mechanism } from '../../analysis/estimate/configuration';
import { CountedJoin, outcomeOf } from '../../analysis/estimate/counted-join';
import { Join, type LoggedSource } from '../../analysis/estimate/join';
import { rulesOf } from '../../analysis/estimate/joined-groups';
import type { UsedReport } from '../../analysis/estimate/report-use';
import { after, days, epsilon, moment, probability, seconds, type Moment } from '../../src/model/units';
import { accepted, parsedSource } from './helpers/parsing';

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
  const configurationOf = (name: string | null): LoggedSource['configuration'] => {
    const mechanism = name === null ? undefined : mechanisms[name];
    return mechanism === undefined
      ? null
      : {
          name,
          configuration: {
            shape: { triggerSpecs, maxEventLevelReports, flexible },
            epsilon: epsilon(1),
            mechanism,
          },
        };
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
        const known = { ...identity, time, configuration: configurationOf(mechanism), group: [group] };
        single.addSource(known);
        return { identity, known, isOpen, reports: reports.map((sent) => reportOf(time, sent)) };
      });
      for (const [index, { identity, known, isOpen, reports }] of logged.entries()) {
        reports.forEach((sent, number) =>
          single.addReport({ ...identity, ...sent, reportId: `${index} ${number}` }),
        );
        const rules = known.configuration === null ? null : rulesOf(known.configuration.configuration);
        counted.add(known, isOpen, outcomeOf(rules, reports, known.time, SKEW));
      }
      expect(counted.result(0, END)).toEqual(single.result());
    }),
    { seed: 5 },
  );
});
