import { readFileSync } from 'node:fs';
import path from 'node:path';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { simulateUser } from '../../../analysis/simulation/user';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { replaySettings } from '../../../analysis/scenario/scenario';
import { parseSettings } from '../../../formats/settings/parse-settings';
import type { Settings } from '../../../formats/settings/settings';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import { days } from '../../../src/model/units';
import { START } from '../helpers/engine';
import { accepted } from '../helpers/parsing';

/* What docs/lift.md tells ad techs and advertisers to register: only sources with an arm report one. */

const page = readFileSync(path.resolve(__dirname, '../../../docs/lift.md'), 'utf8');
const [setting = {}, source = {}, trigger = {}] = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(
  ([, text = '']) => JSON.parse(text) as JsonObject,
);
const settings = accepted(parseSettings(setting, replaySettings));

const request = (
  time: number,
  context: string,
  eligible: string,
  name: string,
  body: JsonObject,
): JsonObject => ({
  user: 'ada',
  timestamp: String(time),
  registration_request: { context_origin: context, 'Attribution-Reporting-Eligible': eligible },
  responses: [
    { url: 'https://ads.example/', response: { [`Attribution-Reporting-Register-${name}`]: body } },
  ],
});

/** The trigger data of the reports, if a conversion follows each source at a shop of its own. */
async function reported(
  sources: readonly JsonObject[],
  conversion: JsonObject,
  inForce: Settings,
): Promise<unknown> {
  const events = sources.flatMap((body, index) => {
    const shop = `https://shop${index}.example`;
    const others: readonly Json[] = Array.isArray(body['destination']) ? body['destination'] : [];
    const time = START + index * days(1);
    return [
      request(time, 'https://news.example', 'event-source', 'Source', {
        ...body,
        source_event_id: String(index),
        destination: [shop, ...others],
      }),
      request(time + 1000, shop, 'trigger', 'Trigger', conversion),
    ].map((line) => accepted(parseLogLine(line)).event);
  });
  const { reports } = await simulateUser(
    events,
    { settings: inForce, limits: chromiumLimits, noise: false, allocation: 'per-cap', matching: null },
    seededRandomStreams('ada'),
  );
  return reports.map(({ payload }) => (payload as JsonObject)['trigger_data']);
}

const withoutArm: readonly JsonObject[] = [
  { ...source, filter_data: {} },
  { ...source, destination: ['https://mall.example'] },
];
const alike = Array.from({ length: 4 }, (): JsonObject => source);
const wide: Settings = { ...settings, budget: { ...settings.budget, cap: 20 } };

test('sources with an arm report it', async () => {
  // Four campaigns of four advertisers: with this seed, they have both arms.
  const found = (await reported(alike, trigger, wide)) as readonly string[];
  expect(found).toHaveLength(4);
  expect(new Set(found)).toEqual(new Set(['0', '1']));
});

test('sources without one report nothing, whether or not there is a test', async () => {
  expect(await reported(withoutArm, trigger, wide)).toEqual([]);
  expect(await reported(alike, trigger, { ...wide, liftTest: null })).toEqual([]);
});

test('a click after the view leaves the conversion to the arm', async () => {
  const shop = 'https://shop.example';
  const registered = (time: number, eligible: string, id: string, body: JsonObject): JsonObject =>
    request(time, 'https://news.example', eligible, 'Source', {
      ...body,
      source_event_id: id,
      destination: shop,
    });
  const events = [
    registered(START, 'event-source', '1', source),
    registered(START + 1000, 'navigation-source', '2', { ...source, priority: '0' }),
    request(START + 2000, shop, 'trigger', 'Trigger', trigger),
  ].map((line) => accepted(parseLogLine(line)).event);
  const { reports } = await simulateUser(
    events,
    { settings: wide, limits: chromiumLimits, noise: false, allocation: 'per-cap', matching: null },
    seededRandomStreams('ada'),
  );
  expect(reports.map(({ payload }) => (payload as JsonObject)['source_event_id'])).toEqual(['1']);
});

test('without the first entry, they would count as exposed', async () => {
  const { event_trigger_data: entries } = trigger as { readonly event_trigger_data: readonly JsonObject[] };
  const conversion = { event_trigger_data: entries.slice(1) };
  expect(await reported(withoutArm, conversion, wide)).toEqual(['0', '0']);
});

test.each([
  [0.0005, ['must-be']],
  [0.001, []],
  [0.999, []],
  [0.9995, ['must-be']],
])('a share of %d is one that people can read in percent: %j', (holdout, codes) => {
  const { errors } = parseSettings({ ...setting, liftTest: { campaign: 'campaign', holdout } });
  expect(errors.map(({ code }) => code)).toEqual(codes);
});
