import { outcomeOf } from '../../../extension/pages/words/outcome';
import { sentInWords } from '../../../extension/pages/explain/sent';
import { accountOf } from '../../../extension/pages/explain/source-why';
import { timelineEvents } from '../../../extension/pages/explain/timeline';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { itemOf } from '../../../extension/pages/tables/table';
import { log } from '../../../extension/pages/tables/log';
import { reports } from '../../../extension/pages/tables/reports';
import { sources } from '../../../extension/pages/tables/sources';
import type { LogEntry } from '../../../src/model/decision';
import type { NoiseMode } from '../../../src/work';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const nothing: readonly (readonly number[])[] = new Array<readonly number[]>(8).fill([]);
const oneReport = [[0], ...nothing.slice(1)];

/** Everything that the pages say of a source, of a conversion that met it, and of its reports. */
async function said(noise: NoiseMode): Promise<string> {
  const { engine, store } = newEngine();
  const entries: LogEntry[] = [await engine.register(sourceRegistration(), conditions(noise))];
  entries.push(await engine.register(triggerRegistration(), conditions(noise)));
  const [source] = await store.read((tx) => tx.table('sources').latest(1));
  if (source === undefined) throw new Error('the source must be kept');
  const triggers = entries.flatMap((entry) => (entry.kind === 'trigger' ? [entry] : []));
  const rows = (await pendingReports(store)).map((report) => ({ report, finished: null }));
  return JSON.stringify([
    entries.map((entry) => [
      outcomeOf(entry, true),
      whySentence(entry, true),
      whySteps(entry, true).map(({ detail }) => detail),
    ]),
    accountOf(source, { triggers, reports: rows, now: START, truth: true }),
    timelineEvents(triggers, rows, true).map(({ words }) => words),
    itemOf(sources, source.id, source).truthText,
    entries.map((entry) => itemOf(log, entry.id, entry).truthText),
    rows.map((row) => [itemOf(reports, row.report.id, row).truthText, sentInWords(row.report, null)]),
  ]);
}

test.each([
  ['with a report', oneReport],
  ['without reports', nothing],
])('a state %s that a person forced is put down to nobody else', async (_, state) => {
  const words = await said({ kind: 'forced', state });
  expect(words).toMatch(/forced/);
  expect(words).not.toMatch(
    /by chance|(R|r)andomized response (decided|replaced)|kept, noised|noised,|\bfake\b/,
  );
});

test('with noise off, no report is said to be made up by chance', async () => {
  const words = await said({ kind: 'off' });
  expect(words).toMatch(/Noise was off/);
  expect(words).not.toMatch(/chance decides/);
});
