import { after, days, hours } from '../../../src/model/units';
import {
  conditions,
  newEngine,
  outcomeOf,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const WINDOWS = { end_times: [172_800] };

/* The server of a report that was tried may have it. To replace it would tell the server of two, which is no state of the source. */
test.each([
  ['windows for all trigger data', { event_report_windows: WINDOWS }],
  ['trigger specs', { trigger_specs: [{ trigger_data: [0, 1], event_report_windows: WINDOWS }] }],
])('a report that was tried is not replaced, whatever the clock says since, with %s', async (_, fields) => {
  const { engine, store } = newEngine();
  const convert = async (data: string, priority: string, hour: number): Promise<string> => {
    const time = after(START, hours(hour));
    const header = { event_trigger_data: [{ trigger_data: data, priority }] };
    return outcomeOf(await engine.register(triggerRegistration(header, { time }), conditions()));
  };
  await engine.register(sourceRegistration({ max_event_level_reports: 1, ...fields }), conditions());
  await convert('0', '0', 1);
  const [report] = await pendingReports(store);
  if (report === undefined) throw new Error('there is no report');
  // The clock was days ahead for a moment.
  await engine.recordAttempt(report.id, { kind: 'answered', status: 500 }, 'lossless', after(START, days(3)));
  await convert('1', '10', 2);
  const left = await pendingReports(store);
  expect(left.map(({ id, attempts }) => [id, attempts.length])).toEqual([[report.id, 1]]);
});
