import { windowText } from '../../../scenarios/kit/entry-text';
import type { SourceRow, TriggerEntry } from '../../../scenarios/kit/rows';
import type { JsonObject } from '../../../src/model/json';
import { accepted, parsedSource } from '../helpers/parsing';

const DAY = 86_400_000;
const SEEN = Date.UTC(2027, 0, 31);

const fields = { trigger_data: [0], event_report_windows: { end_times: [86_400] } };
const sourceWith = (more: JsonObject = {}): SourceRow =>
  ({
    id: 7,
    time: SEEN,
    registration: accepted(parsedSource({ ...fields, ...more })),
  }) as unknown as SourceRow;

/** A conversion with trigger data, and whether a report window of its source was open. */
const conversion = (triggerData: string, passed: boolean, time: number): TriggerEntry =>
  ({
    time,
    checks: [
      { id: 'trigger-data', passed: true, values: { triggerData } },
      { id: 'report-window-open', passed, values: {} },
    ],
  }) as unknown as TriggerEntry;

test('a conversion after the last report window says when that ended, and how long it must be', () => {
  expect(windowText(conversion('0', false, SEEN + 2 * DAY), sourceWith())).toBe(
    'the last report window of source 7 for trigger data 0 ended at 2027-02-01T00:00:00.000Z, and the conversion came at 2027-02-02T00:00:00.000Z: the source needs a window of at least 172801 seconds (event_report_window)',
  );
});

test.each([
  ['while the window was open', '0', true],
  ['with trigger data that the source lacks, under exact matching', '2', false],
])('nothing is said of a window for a conversion %s', (_what, triggerData, passed) => {
  const exact = sourceWith({ trigger_data_matching: 'exact' });
  expect(windowText(conversion(triggerData, passed, SEEN + 2 * DAY), exact)).toBeNull();
});
