import fc from 'fast-check';
import { rulesOf } from '../../../analysis/estimate/join/joined-groups';
import {
  SourceOutputs,
  windowBounds,
  type SourceRules,
} from '../../../analysis/estimate/join/source-outputs';
import { hours, moment, seconds, type Moment } from '../../../src/model/units';
import { configurationOf } from '../helpers/estimates';

const HOUR = Number(hours(1));
/** Between the ends, more or less than twice the skew. */
const END_TIMES = [3600, 3700, 3715, 90_000];

const rulesWith = (ends: readonly number[]): SourceRules =>
  rulesOf(configurationOf({ event_report_windows: { end_times: ends } }, 'navigation', 1));

/** The output of a source with this report alone. */
function outputOf(rules: SourceRules, due: Moment, skew: ReturnType<typeof seconds>): string | null {
  const outputs = new SourceOutputs();
  const report = { triggerData: 1n, scheduledTime: due, summaryBucket: null, noisyValue: null };
  return outputs.add(rules, report, moment(0), skew) ?? outputs.output(rules);
}

/** The first time of the stretch between two bounds that contains `time`. */
const firstOf = (bounds: readonly number[], time: number): number =>
  bounds.filter((bound) => bound <= time).at(-1) ?? (bounds[0] ?? 0) - 1;

test('between two bounds, all due times are of the same window', () => {
  fc.assert(
    fc.property(
      fc.subarray(END_TIMES, { minLength: 1 }),
      fc.subarray(END_TIMES, { minLength: 1 }),
      fc.integer({ min: 0, max: 100 }).map(seconds),
      fc.oneof(
        fc.integer({ min: -HOUR, max: 3 * HOUR }),
        fc
          .record({ end: fc.constantFrom(...END_TIMES), by: fc.integer({ min: -102_000, max: 102_000 }) })
          .map(({ end, by }) => end * 1000 + by),
      ),
      (ends, others, skew, time) => {
        const all = [rulesWith(ends), rulesWith(others)];
        const bounds = windowBounds(all, skew);
        for (const rules of all)
          expect(outputOf(rules, moment(time), skew)).toBe(
            outputOf(rules, moment(firstOf(bounds, time)), skew),
          );
      },
    ),
  );
});

test('each bound parts two windows, or a window from none', () => {
  const rules = rulesWith(END_TIMES);
  const skew = seconds(20);
  const bounds = windowBounds([rules], skew);
  const changes = bounds.filter(
    (bound) => outputOf(rules, moment(bound), skew) !== outputOf(rules, moment(bound - 1), skew),
  );
  // Where windows overlap, the nearest end decides, so the ends of the reach of both are none.
  expect(bounds.length).toBe(11);
  expect(changes.length).toBe(7);
});
