import type { Json, JsonObject } from '../../../src/model/json';
import { defaultSettings, effectiveDebug, type Settings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { epsilon, probability, type Site } from '../../../src/model/units';
import { TRAPS, objectWith, wrongTypes } from '../helpers/parsing';
import { english } from '../../../words/english';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import { seededRandomSource } from '../../../analysis/random/sources';

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
  w3cAttribution: true,
  liftTest: null,
  aggregationKeys: [{ id: 'first', key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }],
  deliveryProfile: 'chrome',
  rules: [{ ...rule, on: 'viewable', register: 'source' }],
  attribution: {
    kind: 'exponential',
    epsilon: epsilon(1),
    score: 'reciprocal',
    unit: 'hours',
    tau: 1,
    gap: 2,
  },
  labelNoise: { kind: 'rr-on-bins', values: [0, 1, 5], prior: [0.5, 0.3, 0.2], loss: 'absolute' },
  budget: {
    unit: 'user-publisher',
    period: 30,
    epsilon: epsilon(10),
    delta: probability(1e-6),
    attributionEpsilon: epsilon(4),
    cap: 3,
    joint: {
      epsilon: epsilon(20),
      reportingSite: epsilon(10),
      sourceSite: epsilon(5),
      destination: epsilon(2),
    },
    owners: [['https://a.example', 'https://b.example'] as Site[]],
  },
  aggregatableReports: true,
  limits: 'specification',
  debug: {
    enabled: true,
    noise: false,
    delay: false,
    seed: 'seed',
    debugReports: true,
    privateNetworks: true,
  },
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

/** Each also with the highest bit, which X25519 ignores (RFC 7748, section 5). */
const smallOrderKeys = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].flatMap((hex) => {
  const key = Buffer.from(hex, 'hex');
  const other = Buffer.from(key);
  other[31] = (key[31] ?? 0) | 0x80;
  return [key.toString('base64'), other.toString('base64')];
});

test.each(smallOrderKeys)('nothing can be sealed for the key %s', async (base64) => {
  const key = { id: 'a', key: new Uint8Array(Buffer.from(base64, 'base64')) };
  const random = seededRandomSource('small order', 0);
  await expect(sealPayload(new Uint8Array(1), '', key, random)).rejects.toThrow();
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
    'a key that is too short',
    { aggregationKeys: [{ id: 'a', key: 'AAEC' }] },
    'aggregationKeys[0].key',
    'must be 32 bytes',
  ],
  ...smallOrderKeys.map((key): [string, Json, string, string] => [
    `the key ${key}, for which nothing can be sealed`,
    { aggregationKeys: [{ id: 'a', key }] },
    'aggregationKeys[0].key',
    'must be an X25519 public key',
  ]),
  [
    'a key without an id',
    { aggregationKeys: [{ key: full.aggregationKeys[0]?.key ?? '' }] },
    'aggregationKeys[0]',
    'must have the field "id"',
  ],
  [
    'as many keys as people',
    { aggregationKeys: Array.from({ length: 6 }, () => ({ ...full.aggregationKeys[0] })) },
    'aggregationKeys',
    'at most 5',
  ],
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
  expect(errors.map(english.worded)[0]).toEqual({
    path,
    message: expect.stringContaining(message) as string,
  });
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
    privateNetworks: false,
  });
});

const bins = { kind: 'rr-on-bins', values: [0, 1], prior: [0.5, 0.5] };
const privately = { kind: 'exponential', epsilon: 1, tau: 1 };

test.each<[string, Json, string, string]>([
  ['an unknown model', { attribution: { kind: 'constructor' } }, 'attribution.kind', 'must be "priority" or'],
  ['no model', { attribution: {} }, 'attribution', 'must have the field "kind"'],
  [
    'ε = 0 of a model',
    { attribution: { ...privately, epsilon: 0 } },
    'attribution.epsilon',
    'greater than 0',
  ],
  [
    'no ε of a model',
    { attribution: { kind: 'exponential', tau: 1 } },
    'attribution',
    'must have the field "epsilon"',
  ],
  ['τ < 0', { attribution: { ...privately, tau: -1 } }, 'attribution.tau', 'greater than 0'],
  [
    'τ ≥ α',
    { attribution: { ...privately, score: 'reciprocal', gap: 1 } },
    'attribution',
    'must have a gap greater than tau (1)',
  ],
  [
    'no α for the reciprocal score',
    { attribution: { ...privately, score: 'reciprocal' } },
    'attribution',
    'must have a gap greater than tau (1)',
  ],
  [
    'α for another score',
    { attribution: { ...privately, gap: 2 } },
    'attribution',
    'only with the reciprocal score',
  ],
  [
    'another credit',
    { attribution: { kind: 'linear', credit: 'all' } },
    'attribution.credit',
    '"draw" or "split"',
  ],
  [
    'a half-life of 0',
    { attribution: { kind: 'time-decay', halfLife: 0 } },
    'attribution.halfLife',
    'greater than 0',
  ],
  ['another mechanism', { labelNoise: { kind: 'none' } }, 'labelNoise.kind', 'must be "rr" or'],
  [
    'a mechanism without a prior',
    { labelNoise: { kind: 'rr-with-prior' } },
    'labelNoise',
    'must have the field "prior"',
  ],
  [
    'an empty prior',
    { labelNoise: { kind: 'rr-with-prior', prior: [] } },
    'labelNoise.prior',
    'at least 1 item',
  ],
  [
    'a prior that sums to 0.9',
    { labelNoise: { ...bins, prior: [0.5, 0.4] } },
    'labelNoise.prior',
    'sum to 1, was 0.9',
  ],
  [
    'a negative prior',
    { labelNoise: { ...bins, prior: [1.5, -0.5] } },
    'labelNoise.prior[0]',
    'from 0 to 1, was 1.5',
  ],
  [
    'fewer values than the prior',
    { labelNoise: { ...bins, values: [0] } },
    'labelNoise.values',
    'as many numbers as the prior',
  ],
  [
    'values that do not begin with 0',
    { labelNoise: { ...bins, values: [1, 2] } },
    'labelNoise.values',
    'ascending from 0',
  ],
  [
    'values that descend',
    { labelNoise: { ...bins, values: [0, -1] } },
    'labelNoise.values',
    'ascending from 0',
  ],
  ['another loss', { labelNoise: { ...bins, loss: 'cubic' } }, 'labelNoise.loss', '"squared" or "absolute"'],
  [
    'too many values for a linear programme',
    { labelNoise: { kind: 'unbiased', values: Array.from({ length: 13 }, (_, i) => i), prior: [1] } },
    'labelNoise.values',
    'must have at most 12 items here, because devices and collectors must find the noise of an unbiased randomizer within seconds (sample and learn take more), has 13',
  ],
  ['another unit', { budget: { unit: 'site' } }, 'budget.unit', 'must be "impression" or'],
  ['a period of 0', { budget: { period: 0 } }, 'budget.period', 'an integer from 1 to 365'],
  ['ε = 0 in all', { budget: { epsilon: 0 } }, 'budget.epsilon', 'greater than 0'],
  ['δ = 1', { budget: { delta: 1 } }, 'budget.delta', 'from 0 to 0.1'],
  ['ε without K', { budget: { unit: 'user', epsilon: 1 } }, 'budget', 'must have a cap with an epsilon'],
  ['K of one impression', { budget: { cap: 1 } }, 'budget', 'must have a cap of null'],
  [
    'δ without ε',
    { budget: { delta: 0.1 } },
    'budget',
    'must have an epsilon, because delta means nothing without one',
  ],
  [
    'more for attribution than there is',
    { budget: { epsilon: 1, attributionEpsilon: 1 } },
    'budget',
    'an attributionEpsilon below epsilon (1)',
  ],
])('mechanisms with %s are refused', (_name, document, path, message) => {
  const { value, errors } = parseSettings(document);
  expect(value).toBeNull();
  expect(errors.map(english.worded)).toContainEqual({
    path,
    message: expect.stringContaining(message) as string,
  });
});
