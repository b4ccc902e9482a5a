import 'fake-indexeddb/auto';
import { newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { newRecorder } from '../helpers/recorder';
import { largeSource } from '../helpers/rows';
import type { Registration } from '../../../src/model/incoming-registration';
import type { JsonObject } from '../../../src/model/json';
import { decisionsOf } from '../../../src/model/decision';
import type { RegistrationEntry } from '../../../src/engine';
import { after, days, hours, minutes } from '../../../src/model/units';
import { defaultSettings } from '../../../formats/settings/settings';

/* Whether a source finds room must not depend on what happened after others. */

const valued: JsonObject = {
  trigger_specs: [{ trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [1, 10, 100] }],
  max_event_level_reports: 3,
};
const keyed: JsonObject = { aggregation_keys: { a: '0x1' } };
const collector = 'https://collector.example/';

const ad = (index: number, fields: JsonObject): Registration =>
  sourceRegistration(
    { source_event_id: String(index).padStart(4, '0'), expiry: 259_200, ...fields },
    'navigation',
    { time: after(START, hours(index)) },
  );

const bought = (index: number): Registration =>
  triggerRegistration(
    {
      event_trigger_data: [{ trigger_data: '1', value: 7, deduplication_key: String(index) }],
      aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: ['a'] }],
      aggregatable_values: { a: 5 },
    },
    { time: after(START, minutes(60 * index + 1)) },
  );

/** A source of the page that leaves room for some ads, for as long as they live. */
const filler = {
  ...largeSource(1, ['https://elsewhere.example'], 'x'.repeat(15_920_000)),
  expiryTime: after(START, days(400)),
};

const outcomesOf = (entry: RegistrationEntry): readonly string[] =>
  entry.kind === 'trigger' ? decisionsOf(entry.decision).map(({ kind }) => kind) : [];

/** What was decided about each ad, in a world with or without conversions of those before. */
async function decisionsIn(
  converts: boolean,
  { fields = {}, settings = {} }: { readonly fields?: JsonObject; readonly settings?: JsonObject },
  seed: string,
): Promise<{ readonly ads: readonly string[]; readonly attributed: number }> {
  const parts = await newRecorder(({ store }) => ({ engine: newEngine({ store, seed }).engine }));
  const { recorder, store, engine, clock } = parts;
  await parts.settings.update(settings);
  await store.write((tx) => tx.table('sources').put({ ...filler, id: tx.nextId() }));
  const ads: string[] = [];
  let attributed = 0;
  for (let index = 0; index < 20; index++) {
    const { time } = ad(index, fields).occasion;
    await clock.setTo(time, true);
    const entry: RegistrationEntry | null = await recorder.byHand(ad(index, fields));
    ads.push(entry?.kind ?? 'refused');
    if (converts) {
      const converted = await recorder.byHand(bought(index));
      if (converted !== null && outcomesOf(converted).includes('attributed')) attributed += 1;
      // What becomes due is sent meanwhile in this world, and expired sources are deleted when that is done.
      for (const { id } of await engine.due(time))
        await engine.recordAttempt(id, { kind: 'answered', status: 200 }, 'chrome', time);
      if (index % 6 === 0) await engine.deleteExpiredSources(time);
    }
  }
  await store.close();
  return { ads, attributed };
}

test.each<[string, { readonly fields?: JsonObject; readonly settings?: JsonObject }]>([
  ['conversions', {}],
  ['values', { fields: valued }],
  ['aggregatable reports', { fields: keyed, settings: { aggregatableReports: true, collector } }],
  [
    'labels that are drawn later',
    {
      fields: { event_report_window: 86_400, max_event_level_reports: 1 },
      settings: { labelNoise: { kind: 'rr-with-prior', prior: [0.5, 0.5] } },
    },
  ],
  [
    'private attribution',
    {
      settings: {
        attribution: { kind: 'exponential', epsilon: 1, score: 'linear', unit: 'hours', tau: 1, gap: null },
        budget: {
          ...defaultSettings.budget,
          unit: 'user-publisher',
          epsilon: 1000,
          attributionEpsilon: 400,
          cap: 40,
        } as unknown as JsonObject,
      },
    },
  ],
])('which ads find room does not depend on %s', async (_what, given) => {
  const without = await decisionsIn(false, given, 'a');
  const all = await decisionsIn(true, given, 'c');
  expect(all.ads).toEqual(without.ads);
  expect(new Set(without.ads)).toEqual(new Set(['source', 'refused']));
  expect(all.attributed).toBeGreaterThan(0);
});
