import fc from 'fast-check';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import type { BudgetSettings, PrivateModel } from '../../../src/model/mechanisms';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { epsilon } from '../../../src/model/units';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { replay } from '../../../analysis/scenario/replay';
import { replaySettings, type ScenarioEvent } from '../../../analysis/scenario/scenario';
import { generateUser } from '../../../analysis/simulation/generate';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { sourceLogRow } from '../../../analysis/simulation/source-log';
import { matchingFor, type Matching } from '../../../analysis/simulation/matching-settings';
import { settingsWithoutEffect } from '../../../analysis/simulation/setting-effects';
import { OutcomeCounter } from '../../../analysis/simulation/outcome-counter';
import { LogError } from '../../../analysis/simulation/log-error';
import { simulateUser, type Simulation } from '../../../analysis/simulation/user';
import { accepted, expectRefused } from '../helpers/parsing';

const line = (
  timestamp: number,
  eligible: string,
  header: JsonObject,
  response: JsonObject = {},
): JsonObject => ({
  user: 'ada',
  timestamp: String(timestamp),
  registration_request: {
    context_origin: eligible === 'trigger' ? 'https://shop.example' : 'https://news.example',
    'Attribution-Reporting-Eligible': eligible,
  },
  responses: [{ url: 'https://ads.example/', response: header, ...response }],
});

const source = (timestamp: number, fields: JsonObject = {}, response: JsonObject = {}): JsonObject =>
  line(
    timestamp,
    'navigation-source',
    { 'Attribution-Reporting-Register-Source': { destination: 'https://shop.example', ...fields } },
    response,
  );

const trigger = (timestamp: number, data: JsonObject = { trigger_data: '3' }): JsonObject =>
  line(timestamp, 'trigger', { 'Attribution-Reporting-Register-Trigger': { event_trigger_data: [data] } });

const events = (lines: readonly Json[]): ScenarioEvent[] =>
  lines.map((one) => accepted(parseLogLine(one)).event);

const simulation = (more: Partial<Simulation> = {}): Simulation => ({
  settings: replaySettings,
  limits: chromiumLimits,
  noise: false,
  allocation: 'per-cap',
  matching: null,
  ...more,
});

const withSettings = (settings: Partial<Settings>): Partial<Simulation> => ({
  settings: { ...replaySettings, ...settings },
});

async function simulated(
  lines: readonly Json[],
  more: Partial<Simulation> = {},
): Promise<{ readonly data: readonly unknown[]; readonly tally: Record<string, Record<string, number>> }> {
  const { reports, tally } = await simulateUser(events(lines), simulation(more), seededRandomStreams('test'));
  const data = reports.map(({ payload }) => (payload as { readonly trigger_data?: string }).trigger_data);
  return {
    data,
    tally: Object.fromEntries(tally.map(([section, kinds]) => [section, Object.fromEntries(kinds)])),
  };
}

const timeOf = (json: Json): number => Number((json as { readonly timestamp: string }).timestamp);
const byTime = (a: Json, b: Json): number => timeOf(a) - timeOf(b);

test.each([
  ['per-cap', [2, 2, 2]],
  ['per-count', [4 / 3, 4 / 3, 4 / 3]],
  ['random-cap', [2, 2, 2]],
] as const)('the source log has the ε in effect: %s', async (allocation, expected) => {
  const budget = { ...replaySettings.budget, unit: 'user' as const, epsilon: epsilon(4), cap: 2 };
  const log = events([source(0), source(1), source(2)]);
  const settings = simulation({ ...withSettings({ budget }), allocation });
  const found: unknown[] = [];
  await simulateUser(log, settings, seededRandomStreams('test'), (outcome) =>
    found.push(sourceLogRow(outcome, settings)?.['epsilon']),
  );
  expect(found).toEqual(expected.map((share) => expect.closeTo(share, 12) as number));
});

test('the reports are those of replay', async () => {
  const log = events([0, 1, 2, 3, 4].flatMap((number) => generateUser('replay', number)).sort(byTime));
  const random = seededRandomStreams('same');
  const scenario = {
    config: { limits: chromiumLimits, navigationRetry: null },
    settings: replaySettings,
    events: log,
    reports: [],
  };
  const { reports } = await simulateUser(log, simulation({ noise: true }), random);
  expect(reports.length).toBeGreaterThan(0);
  expect(reports).toEqual(await replay(scenario, { noise: true, random }));
});

test('everything that happens is counted', async () => {
  const { data, tally } = await simulated([
    source(1000),
    source(2000, { destination: 'nowhere' }),
    source(3000, {}, { randomized_response: [{ trigger_data: 5, report_window_index: 0 }] }),
    line(4000, 'navigation-source', {}),
    source(5000, { max_event_level_reports: 20 }),
    trigger(6000),
    line(7000, 'trigger', { 'Attribution-Reporting-Register-Trigger': '{' }),
    { ...source(8000), responses: [{ url: 'http://ads.example/', response: {} }] },
  ]);
  expect(data).toEqual(['5']);
  expect(tally).toEqual({
    noise: { off: 1, replaced: 1 },
    sources: { stored: 2, rejected: 1 },
    sources_invalid: { 'destination: must be a URL with https, or with http on localhost, was "nowhere"': 1 },
    sources_rejected: { 'source-trigger-state-cardinality-limit': 1 },
    responses_ignored: {
      'the request is not eligible (navigation-source)': 1,
      'the server answered over http; it must use https, or http on localhost': 1,
    },
    triggers: { dropped: 1 },
    triggers_dropped: { 'trigger-event-noise': 1 },
    triggers_invalid: { 'must be JSON: line 1, column 2: "}" is missing at the end of an object': 1 },
    reports: { delivered: 1 },
  });
});

test('a conversion that is split is counted once, and each of its shares', async () => {
  const flexible = {
    trigger_specs: [{ trigger_data: [0], summary_buckets: [1], summary_operator: 'value_sum' }],
    max_event_level_reports: 1,
  };
  const { tally } = await simulated(
    [source(1000, flexible), source(2000, flexible), trigger(3000, { trigger_data: '0', value: 10 })],
    withSettings({ attribution: { kind: 'linear', credit: 'split' } }),
  );
  expect(tally['triggers']).toEqual({ split: 1, 'share attributed': 2 });
});

test.each<[string, Partial<Settings>, Partial<Simulation>, object]>([
  ['first touch', { attribution: { kind: 'first-touch' } }, {}, { sources: { stored: 3 } }],
  [
    'a cap of one',
    { budget: { ...defaultSettings.budget, unit: 'user', cap: 1 } },
    {},
    { sources: { stored: 3 }, sources_over_budget: { impressions: 2 } },
  ],
  [
    'a third for each of three',
    { budget: { ...defaultSettings.budget, unit: 'user', cap: 1, epsilon: epsilon(9) } },
    { allocation: 'per-count' },
    { sources: { stored: 3 } },
  ],
  [
    'one at random',
    { budget: { ...defaultSettings.budget, unit: 'user', cap: 1, epsilon: epsilon(9) } },
    { allocation: 'random-cap' },
    { sources: { stored: 3 }, sources_over_budget: { 'not-drawn': 2 } },
  ],
])('the settings and the allocation decide: %s', async (_, settings, more, expected) => {
  const { tally } = await simulated([source(1000), source(2000), source(3000)], {
    ...withSettings(settings),
    ...more,
  });
  expect(tally).toMatchObject(expected);
});

const noisyLabels = { kind: 'unbiased' as const, values: [0, 1], prior: [0.5, 0.5] };
const oneWindow = { event_report_windows: { end_times: [86400] }, max_event_level_reports: 1 };
const budget = { ...defaultSettings.budget, unit: 'user' as const, cap: 2, epsilon: epsilon(28) };
const joint = {
  epsilon: epsilon(20),
  reportingSite: epsilon(100),
  sourceSite: epsilon(100),
  destination: epsilon(100),
};

/* Nobody reads the checks of these runs, and all the same each setting is counted, with 0 if it changed nothing. */
test.each<[string, Partial<Settings>, readonly Json[], Record<string, number> | undefined]>([
  ['the defaults', {}, [source(1000)], undefined],
  ['a mechanism without a source', { labelNoise: noisyLabels }, [source(1000)], { labelNoise: 0 }],
  [
    'attribution without a choice',
    { attribution: { kind: 'last-touch' } },
    [source(1), trigger(2)],
    { attribution: 0 },
  ],
  [
    'attribution with a choice',
    { attribution: { kind: 'last-touch' } },
    [source(1), source(2), trigger(3)],
    { attribution: 1 },
  ],
  [
    'a budget that nothing reaches',
    { budget },
    [source(1), source(2)],
    { 'budget.epsilon': 0, 'budget.cap': 0 },
  ],
  [
    'a cap that is reached',
    { budget },
    [source(1), source(2), source(3)],
    { 'budget.epsilon': 0, 'budget.cap': 1 },
  ],
  [
    'a budget that leaves sources less ε',
    { budget: { ...budget, epsilon: epsilon(2) } },
    [source(1), source(2)],
    { 'budget.epsilon': 2, 'budget.cap': 0 },
  ],
  [
    'a joint budget that is reached',
    { budget: { ...budget, joint } },
    [source(1), source(2)],
    { 'budget.epsilon': 0, 'budget.cap': 0, 'budget.joint': 1 },
  ],
])('settings are counted with what they changed: %s', async (_, settings, log, expected) => {
  const { tally } = await simulated(log, { ...withSettings(settings), noise: true });
  expect(tally['setting_effects']).toEqual(expected);
});

describe('a budget that conversions spend for their attribution', () => {
  const attribution: PrivateModel = {
    kind: 'exponential',
    epsilon: epsilon(1),
    score: 'linear',
    unit: 'hours',
    tau: 1,
    gap: null,
  };
  const paying: Partial<BudgetSettings> = {
    unit: 'user-publisher',
    cap: 10,
    epsilon: epsilon(8),
    attributionEpsilon: epsilon(1),
  };
  const HOUR = 3_600_000;
  const few = { event_level_epsilon: 0.5 };
  const clicks = (count: number): readonly Json[] =>
    Array.from({ length: count }, (_, hour) => source((hour + 1) * HOUR, few));
  const conversions = [4, 5, 6].map((hour) => trigger(hour * HOUR));
  const unreached = { 'budget.epsilon': 0, 'budget.cap': 0 };

  test.each<[string, readonly Json[], Partial<Settings>, Matching['mechanism'] | null, object | undefined]>([
    [
      'one candidate of a private model pays twice, and then no more',
      clicks(1),
      { attribution },
      null,
      { ...unreached, attribution: 1, 'budget.attributionEpsilon': 1 },
    ],
    [
      'one candidate of a model without ε',
      clicks(1),
      {},
      null,
      { ...unreached, 'budget.attributionEpsilon': 0 },
    ],
    [
      'a matching that three clicks cannot pay for',
      clicks(3),
      { attribution },
      'greedy',
      { ...unreached, 'budget.attributionEpsilon': 3 },
    ],
    [
      'a matching that one click of each conversion can pay for, and that decides instead of attribution',
      clicks(2),
      { attribution: { ...attribution, epsilon: epsilon(0.5) } },
      'greedy',
      { ...unreached, 'budget.attributionEpsilon': 0 },
    ],
    [
      'a matching that one click can pay for',
      clicks(1),
      { attribution },
      'greedy',
      { ...unreached, 'budget.attributionEpsilon': 0 },
    ],
  ])('is counted where it drops one: %s', async (_, sources, model, mechanism, expected) => {
    const settings = { ...replaySettings, ...model, budget: { ...defaultSettings.budget, ...paying } };
    const matching = mechanism === null ? null : matchingFor(mechanism, settings);
    if (typeof matching === 'string') throw new Error(matching);
    const { tally } = await simulated([...sources, ...conversions], { settings, matching });
    expect(tally['setting_effects']).toEqual(expected);
    const dropped = tally['triggers_dropped']?.['trigger-privacy-budget'] ?? 0;
    expect(tally['setting_effects']?.['budget.attributionEpsilon']).toBe(dropped);
    const without = settingsWithoutEffect(new Map(Object.entries(tally['setting_effects'] ?? {})));
    expect([...without.keys()]).toEqual(dropped > 0 ? [] : ['budget']);
  });
});

test('a mechanism counts the sources that got it, and not where noise is off', async () => {
  const specs = { trigger_data: [0], summary_buckets: [1], ...oneWindow };
  const log = [source(1000, { trigger_specs: [specs], max_event_level_reports: 1 }), source(2000)];
  const labelled = withSettings({ labelNoise: noisyLabels });
  expect((await simulated(log, { ...labelled, noise: true })).tally['setting_effects']).toEqual({
    labelNoise: 1,
  });
  expect((await simulated(log, labelled)).tally['setting_effects']).toBeUndefined();
});

test('the ε that is granted is that of the noise', async () => {
  const { reports } = await simulateUser(
    events([source(1000), source(2000), trigger(3000)]),
    simulation({
      ...withSettings({ budget: { ...defaultSettings.budget, unit: 'user', cap: 5, epsilon: epsilon(8) } }),
      allocation: 'per-count',
    }),
    seededRandomStreams('test'),
  );
  // Two impressions have ε = 4 each; this is 2925/(2924 + e⁴).
  expect(reports.map(({ payload }) => payload)).toMatchObject([{ randomized_trigger_rate: 0.9820056 }]);
});

test.each<[string, Partial<Settings['debug']>, Record<string, number>]>([
  ['without noise', { noise: false }, { off: 1 }],
  ['with noise', {}, { truthful: 1 }],
])('debug mode counts: %s', async (_, debug, noise) => {
  const settings = withSettings({ debug: { ...defaultSettings.debug, enabled: true, ...debug } });
  expect((await simulated([source(1000)], { ...settings, noise: true })).tally['noise']).toEqual(noise);
});

test('debug reports of the settings stand in for the permission', async () => {
  const lines = [source(1000, { debug_reporting: true, destination: 'https://shop.example' })];
  const debug = { ...defaultSettings.debug, enabled: true, debugReports: true };
  expect((await simulated(lines)).tally['reports']).toBeUndefined();
  expect((await simulated(lines, withSettings({ debug }))).tally['reports']).toEqual({ delivered: 1 });
});

test.each<[string, readonly Json[], number, string, string]>([
  [
    'time goes back',
    [source(2000), source(1000)],
    1,
    'timestamp',
    'must be in the order of time: 1000 comes after 2000',
  ],
  [
    'an impossible outcome is forced',
    [source(1000), source(2000, {}, { randomized_response: [{ trigger_data: 9, report_window_index: 0 }] })],
    1,
    'responses[0].randomized_response',
    '9',
  ],
])('%s', async (_, lines, event, path, message) => {
  const error: unknown = await simulateUser(events(lines), simulation(), seededRandomStreams('test')).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LogError);
  expect(error).toMatchObject({ event, path, message: expect.stringContaining(message) as string });
});

test.each<Json>([null, [], 'ada', {}, { user: '' }, { user: 5 }])('%p is nobody’s line', (json) => {
  expectRefused(parseLogLine(json), '', 'must be an object with a "user"');
});

test('generated logs are of one user each, in the order of time, without a word against them, and repeatable', () => {
  fc.assert(
    fc.property(fc.nat(999), (number) => {
      const lines = generateUser('seed', number);
      const parsed = lines.map((one) => accepted(parseLogLine(one)));
      expect(new Set(parsed.map(({ user }) => user)).size).toBe(1);
      const times = parsed.map(({ event }) => event.time);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(generateUser('seed', number)).toEqual(lines);
    }),
    { seed: 1, numRuns: 30 },
  );
  expect(generateUser('seed', 1)).not.toEqual(generateUser('another', 1));
});

test('tallies of parts add up, and further reasons are counted as one', () => {
  const [whole, part] = [new OutcomeCounter(), new OutcomeCounter()];
  for (let reason = 0; reason < 150; reason++) part.add('warnings', `reason ${reason % 120}`);
  whole.addAll(part.entries());
  whole.addAll(part.entries());
  expect(whole.of('warnings').get('reason 7')).toBe(4);
  // The last 20 by their text, one of which comes twice in a part.
  expect(whole.of('warnings').get('(others)')).toBe(42);
  expect([...whole.of('warnings').values()].reduce((sum, count) => sum + count, 0)).toBe(300);
});
