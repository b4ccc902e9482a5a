import fc from 'fast-check';
import { countStates, ReportSpace } from '../../../src/states/report-space';
import { reportsOfState, shapeOf, stateOfReports, triggerDataOf } from '../../../src/states/source-space';
import { Caches } from '../../../src/work';
import { accepted, parsedSource } from '../helpers/parsing';
import { anySource, anySourceType } from '../helpers/registrations';

test.each([
  ['navigation', 2925n],
  ['event', 3n],
] as const)('a %s source without further fields has %s states', (sourceType, states) => {
  expect(countStates(shapeOf(accepted(parsedSource({}, sourceType))))).toBe(states);
});

test('states are counted once for sources with the same specs, and for each number of reports', () => {
  fc.assert(
    fc.property(
      anySourceType.chain(anySource),
      fc.array(fc.integer({ min: 0, max: 20 })),
      (source, numbers) => {
        const caches = new Caches();
        for (const maxEventLevelReports of [source.maxEventLevelReports, ...numbers]) {
          const other = { ...source, maxEventLevelReports };
          expect(caches.statesOf(other)).toBe(countStates(shapeOf(other)));
        }
      },
    ),
  );
});

describe('a source with two specs', () => {
  const source = accepted(
    parsedSource({
      trigger_data_matching: 'exact',
      max_event_level_reports: 4,
      trigger_specs: [
        { trigger_data: [7, 3], event_report_windows: { end_times: [3600, 7200] }, summary_buckets: [1, 5] },
        { trigger_data: [0], event_report_windows: { end_times: [3600] }, summary_buckets: [9] },
      ],
    }),
  );

  test('has for each trigger data its own windows, and as many reports as its spec has buckets', () => {
    expect(shapeOf(source)).toEqual({
      triggerData: [
        { windows: 2, maxReports: 2 },
        { windows: 2, maxReports: 2 },
        { windows: 1, maxReports: 1 },
      ],
      maxReports: 4,
    });
    expect(triggerDataOf(source).map(({ triggerData }) => triggerData)).toEqual([7, 3, 0]);
  });

  test('lists the reports of a state, the buckets of each trigger data in order', () => {
    expect(reportsOfState(source, [[0, 1], [1], [0]])).toEqual([
      { triggerData: 7, windowIndex: 0, bucket: 0 },
      { triggerData: 7, windowIndex: 1, bucket: 1 },
      { triggerData: 3, windowIndex: 1, bucket: 0 },
      { triggerData: 0, windowIndex: 0, bucket: 0 },
    ]);
    expect(reportsOfState(source, [[], [], []])).toEqual([]);
  });

  test('finds the state of a list of reports in any order', () => {
    const reports = [
      { triggerData: 0, windowIndex: 0 },
      { triggerData: 7, windowIndex: 1 },
      { triggerData: 7, windowIndex: 0 },
    ];
    expect(stateOfReports(source, reports)).toEqual([[0, 1], [], [0]]);
    expect(stateOfReports(source, [])).toEqual([[], [], []]);
  });

  test('refuses reports of trigger data that it does not have', () => {
    const wrong = [{ triggerData: 1, windowIndex: 0 }];
    expect(() => stateOfReports(source, wrong)).toThrow(
      new RangeError('trigger_data must be one of 7, 3, 0, was 1'),
    );
  });
});

test('states and lists of reports match one to one, for any source', () => {
  const cases = fc.tuple(
    anySourceType.chain(anySource),
    fc.bigInt({ min: 0n, max: 2n ** 100n }),
    fc.infiniteStream(fc.nat()),
  );
  fc.assert(
    fc.property(cases, ([source, number, order]) => {
      const space = new ReportSpace(shapeOf(source));
      const state = space.decode(number % space.states);
      const keyed = reportsOfState(source, state).map((report) => ({
        report,
        key: Number(order.next().value),
      }));
      const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ report }) => report);
      expect(stateOfReports(source, shuffled)).toEqual(state);
      expect(shuffled).toHaveLength(state.flat().length);
    }),
    { numRuns: 300 },
  );
});
