import type { Json } from '../../src/model/recording-rule';
import { defaultSettings, effectiveDebug, type Settings } from '../../src/model/settings';
import { parseSettings } from '../../src/settings/parse-settings';
import { TRAPS, objectWith, wrongTypes, type JsonObject } from './helpers/parsing';

const rule = {
  id: 'ad',
  matches: ['https://news.example/*'],
  selector: '.ad',
  on: 'viewable',
  register: 'source',
  reportingOrigin: 'https://adtech.example',
  registration: { destination: 'https://shop.example' },
};

const full: Settings = {
  paused: true,
  pausedSites: ['https://bank.example'],
  collector: 'https://collector.example',
  deliveryProfile: 'chrome',
  rules: [{ ...rule, on: 'viewable', register: 'source' }],
  attribution: { kind: 'exponential', epsilon: 1, score: 'reciprocal', unit: 'hours', tau: 1, gap: 2 },
  labelNoise: { kind: 'rr-on-bins', values: [0, 1, 5], prior: [0.5, 0.3, 0.2], loss: 'absolute' },
  budget: {
    unit: 'user-publisher',
    period: 30,
    epsilon: 10,
    delta: 1e-6,
    attributionEpsilon: 4,
    cap: 3,
  },
  debug: { enabled: true, noise: false, delay: false, seed: 'seed', debugReports: true },
};

test('settings without a field are the current ones', () => {
  expect(parseSettings({})).toEqual({ value: defaultSettings, errors: [], warnings: [] });
  expect(parseSettings({}, full)).toEqual({ value: full, errors: [], warnings: [] });
  expect(parseSettings({ debug: {} }, full)).toEqual({ value: full, errors: [], warnings: [] });
});

test('settings that say everything replace the current ones, and read back as themselves', () => {
  expect(parseSettings(full as unknown as Json)).toEqual({ value: full, errors: [], warnings: [] });
  expect(parseSettings(defaultSettings as unknown as Json, full)).toEqual({
    value: defaultSettings,
    errors: [],
    warnings: [],
  });
});

test.each<[string, JsonObject, Partial<Settings>]>([
  ['one field', { paused: false }, { paused: false }],
  [
    'sites from URLs',
    { pausedSites: ['https://www.bank.example/login'] },
    { pausedSites: ['https://bank.example'] },
  ],
  ['no collector', { collector: null }, { collector: null }],
  ['a local collector', { collector: 'http://localhost:4000/x' }, { collector: 'http://localhost:4000' }],
  ['no rules', { rules: [] }, { rules: [] }],
  ['one debug field', { debug: { noise: true } }, { debug: { ...full.debug, noise: true } }],
  ['no seed', { debug: { seed: null } }, { debug: { ...full.debug, seed: null } }],
])('settings with %s change nothing else', (_name, document, changed) => {
  expect(parseSettings(document, full)).toEqual({ value: { ...full, ...changed }, errors: [], warnings: [] });
});

test.each<[string, Json, string, string]>([
  ['paused as a string', { paused: 'true' }, 'paused', 'must be true or false'],
  ['sites that are no list', { pausedSites: 'https://a.example' }, 'pausedSites', 'must be a list'],
  [
    'a site that is no URL',
    { pausedSites: ['https://a.example', 'b'] },
    'pausedSites[1]',
    'must be a site such as',
  ],
  ['a site over http', { pausedSites: ['http://a.example'] }, 'pausedSites[0]', 'must be a site such as'],
  ['a collector over http', { collector: 'http://a.example' }, 'collector', 'must be null, or an origin'],
  ['a collector that is no string', { collector: 1 }, 'collector', 'must be a string'],
  [
    'another profile',
    { deliveryProfile: 'constructor' },
    'deliveryProfile',
    'must be "lossless" or "chrome"',
  ],
  ['rules that are no list', { rules: {} }, 'rules', 'must be a list'],
  ['a rule with a mistake', { rules: [{ ...rule, on: 'x' }] }, 'rules[0].on', 'must be "viewable"'],
  ['two rules with one id', { rules: [rule, rule] }, 'rules', 'must not have two rules with the id "ad"'],
  ['debug that is no object', { debug: [] }, 'debug', 'must be an object'],
  ['a seed that is no string', { debug: { seed: 1 } }, 'debug.seed', 'must be a string'],
  ['a seed of 201 characters', { debug: { seed: 'x'.repeat(201) } }, 'debug.seed', 'at most 200 characters'],
  ['a debug switch as a number', { debug: { noise: 0 } }, 'debug.noise', 'must be true or false'],
  ...wrongTypes('object').map((value): [string, Json, string, string] => [
    JSON.stringify(value),
    value,
    '',
    'must be an object',
  ]),
])('settings must not have or be %s', (_name, document, path, message) => {
  const { value, errors } = parseSettings(document, full);
  expect(value).toBeNull();
  expect(errors[0]).toEqual({ path, message: expect.stringContaining(message) as string });
  expect(errors.every(({ path: at }) => at === path)).toBe(true);
});

test.each(['noise', ...TRAPS])('settings warn of the unknown field %s', (name) => {
  const { value, warnings } = parseSettings(objectWith(name, true));
  expect(value).toEqual(defaultSettings);
  expect(warnings.map(({ path }) => path)).toEqual([name]);
});

test('debug switches are in force in debug mode only', () => {
  expect(effectiveDebug(full)).toEqual(full.debug);
  const off = { ...full, debug: { ...full.debug, enabled: false } };
  expect(effectiveDebug(off)).toEqual({
    enabled: false,
    noise: true,
    delay: true,
    seed: null,
    debugReports: false,
  });
});
