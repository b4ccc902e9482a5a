import { chromiumLimits } from '../../../src/model/limits';
import type { FinishedReport } from '../../../src/model/records';
import { after, minutes } from '../../../src/model/units';
import {
  conditions,
  newEngine,
  outcomeOf,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

/* ARA, "delete sources for unexpired destination limit": a copy of a report for debugging is under way as soon as it is made. */
test('the destination limit withdraws the reports of the deleted source, but not their copies for debugging', async () => {
  const { engine, store } = newEngine({ limits: { ...chromiumLimits, maxDestinationsPerReportingSite: 1 } });
  const measured = conditions({ kind: 'off' }, { aggregatableReports: true });
  const source = { debug_key: '1', aggregation_keys: { a: '0x1' } };
  await engine.register(sourceRegistration(source), measured);
  const trigger = {
    debug_key: '2',
    event_trigger_data: [{}],
    aggregatable_trigger_data: [{ key_piece: '0x2', source_keys: ['a'] }],
    aggregatable_values: { a: 10 },
  };
  await engine.register(triggerRegistration(trigger, { time: after(START, minutes(1)) }), measured);
  const made = (await pendingReports(store)).map(({ kind }) => kind).sort();
  expect(made).toEqual(['aggregatable', 'aggregatable-debug', 'event-level', 'event-level-debug']);

  const other = { destination: 'https://other.example' };
  const time = after(START, minutes(2));
  expect(outcomeOf(await engine.register(sourceRegistration(other, 'navigation', { time }), measured))).toBe(
    'stored',
  );
  const finished = await store.read((tx) => tx.table('finished').latest(Infinity));
  const ends = finished.map(({ report, end }): [string, FinishedReport['end']] => [report.kind, end]);
  expect(ends).toEqual([['aggregatable', 'source-removed']]);
  const left = (await pendingReports(store)).map(({ kind }) => kind).sort();
  expect(left).toEqual(['aggregatable-debug', 'event-level', 'event-level-debug']);
});
