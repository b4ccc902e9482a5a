import { defaultMechanisms } from '../../src/model/mechanisms';
import type { Json } from '../../src/model/recording-rule';
import { defaultSettings, type Settings } from '../../src/model/settings';

/** How one setting is edited. */
export type Control =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, title: string])[] }
  /** Empty stands for null. */
  | { readonly kind: 'text'; readonly placeholder: string }
  /** Empty stands for null. */
  | { readonly kind: 'number'; readonly placeholder: string }
  /** An object as JSON, of which examples can be put in. */
  | { readonly kind: 'json'; readonly examples: readonly (readonly [title: string, value: Json])[] }
  /** One item a line. */
  | { readonly kind: 'lines'; readonly placeholder: string };

/** One setting. A new one needs no more than another of these. */
export interface SettingEntry {
  /** As `parseSettings` names it in its errors: `debug.noise`. */
  readonly path: string;
  readonly title: string;
  readonly meaning: string;
  /** Which values there are. */
  readonly range: string;
  readonly control: Control;
}

export interface SettingGroup {
  readonly title: string;
  readonly entries: readonly SettingEntry[];
}

const modelExamples: readonly (readonly [string, Json])[] = [
  ['Priority, then last touch (ARA)', { kind: 'priority' }],
  ['Last touch', { kind: 'last-touch' }],
  ['First touch', { kind: 'first-touch' }],
  ['Linear', { kind: 'linear', credit: 'draw' }],
  ['Position-based', { kind: 'position-based', credit: 'draw' }],
  ['Time decay', { kind: 'time-decay', credit: 'draw', halfLife: 604800 }],
  [
    'Exponential mechanism',
    { kind: 'exponential', epsilon: 1, score: 'linear', unit: 'hours', tau: 1, gap: null },
  ],
  [
    'Permute and flip',
    { kind: 'permute-and-flip', epsilon: 1, score: 'linear', unit: 'hours', tau: 1, gap: null },
  ],
];

const noiseExamples: readonly (readonly [string, Json])[] = [
  ['Randomized response (ARA)', { kind: 'rr' }],
  ['With a prior over three states', { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] }],
  [
    'On bins of the values 0, 1, 10',
    { kind: 'rr-on-bins', values: [0, 1, 10], prior: [0.9, 0.07, 0.03], loss: 'squared' },
  ],
  ['Unbiased, of the values 0, 1, 10', { kind: 'unbiased', values: [0, 1, 10], prior: [0.9, 0.07, 0.03] }],
];

export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Recording',
    entries: [
      {
        path: 'paused',
        title: 'Pause everywhere',
        meaning: 'Nothing is recorded anywhere. What was recorded before is still delivered.',
        range: 'on or off',
        control: { kind: 'switch' },
      },
      {
        path: 'pausedSites',
        title: 'Paused sites',
        meaning: 'Nothing is recorded on these sites, and nothing is requested on their behalf.',
        range: 'sites such as https://shop.example, one a line',
        control: { kind: 'lines', placeholder: 'https://shop.example' },
      },
    ],
  },
  {
    title: 'Delivery',
    entries: [
      {
        path: 'collector',
        title: 'Collector',
        meaning: 'Receives every report, in place of the reporting origins.',
        range:
          'an origin with https, or with http on localhost; empty: each report goes to its own reporting origin',
        control: { kind: 'text', placeholder: 'each report’s own origin' },
      },
      {
        path: 'deliveryProfile',
        title: 'Delivery profile',
        meaning:
          'Lossless tries again after any failure, at growing intervals, for 30 days. Chrome tries again after 5 and 15 minutes without an answer, and takes any answer as final.',
        range: 'lossless or chrome',
        control: {
          kind: 'choice',
          choices: [
            ['lossless', 'lossless'],
            ['chrome', 'chrome'],
          ],
        },
      },
    ],
  },
  {
    title: 'Attribution',
    entries: [
      {
        path: 'attribution',
        title: 'Model',
        meaning:
          'Which of the impressions that match a conversion gets the credit. Exponential and permute-and-flip are differentially private in when each impression was: ε is their loss, τ by how much a time may be moved, gap (α) how near a click comes to the conversion at most, for the reciprocal score.',
        range:
          'kind: priority (as ARA), last-touch, first-touch; linear, position-based, time-decay (halfLife in seconds) with credit draw or split; exponential, permute-and-flip with epsilon, score, unit, tau, gap',
        control: { kind: 'json', examples: modelExamples },
      },
    ],
  },
  {
    title: 'Noise',
    entries: [
      {
        path: 'labelNoise',
        title: 'Mechanism',
        meaning:
          'What randomizes the output of a source. The ones that look at the truth are for sources with one report window and are drawn when it closes; other sources get randomized response.',
        range:
          'kind: rr; rr-with-prior with a prior for each state; rr-on-bins with values, prior and loss; unbiased with values and prior. Values are 0 and the summary buckets; a prior sums to one',
        control: { kind: 'json', examples: noiseExamples },
      },
    ],
  },
  {
    title: 'Privacy budget',
    entries: [
      {
        path: 'budget.unit',
        title: 'Privacy unit',
        meaning: 'What is protected as a whole, and has one budget in each period.',
        range: 'one impression, the person on each publisher, the person for each advertiser, or the person',
        control: {
          kind: 'choice',
          choices: [
            ['impression', 'impression'],
            ['user-publisher', 'person × publisher'],
            ['user-advertiser', 'person × advertiser'],
            ['user', 'person'],
          ],
        },
      },
      {
        path: 'budget.period',
        title: 'Period',
        meaning: 'After so many days the budget begins anew, for what is recorded from then on.',
        range: '1 to 365 days',
        control: { kind: 'number', placeholder: 'days' },
      },
      {
        path: 'budget.cap',
        title: 'Impressions (K)',
        meaning:
          'Only the first K impressions of a unit and period can make reports; each gets an equal share of ε.',
        range: '1 to 1,000,000; empty: any number, and then no ε below (but for the unit “impression”)',
        control: { kind: 'number', placeholder: 'any number' },
      },
      {
        path: 'budget.epsilon',
        title: 'ε in all',
        meaning: 'What would spend more of a unit and period is refused.',
        range: 'greater than 0; empty: spends are recorded, and nothing is refused',
        control: { kind: 'number', placeholder: 'no limit' },
      },
      {
        path: 'budget.attributionEpsilon',
        title: 'ε kept for attribution',
        meaning:
          'The part of ε that impressions do not share, so that the private models have something to spend.',
        range: '0 to less than ε',
        control: { kind: 'number', placeholder: '0' },
      },
      {
        path: 'budget.delta',
        title: 'δ',
        meaning:
          'Not 0: (ε, δ)-privacy is enough, and spends add up by the advanced theorem where that is tighter.',
        range: '0 to 0.1',
        control: { kind: 'number', placeholder: '0' },
      },
    ],
  },
  {
    title: 'Debug mode',
    entries: [
      {
        path: 'debug.enabled',
        title: 'Debug mode',
        meaning:
          'The settings below are in force only while this is on. It shows what the noise protects, on this device.',
        range: 'on or off',
        control: { kind: 'switch' },
      },
      {
        path: 'debug.noise',
        title: 'Noise',
        meaning: 'Randomized response. Off, every new source reports the truth.',
        range: 'on or off',
        control: { kind: 'switch' },
      },
      {
        path: 'debug.delay',
        title: 'Delay',
        meaning: 'Reports wait for the end of their window. Off, new reports leave at once.',
        range: 'on or off',
        control: { kind: 'switch' },
      },
      {
        path: 'debug.seed',
        title: 'Seed',
        meaning: 'Randomness is drawn from it, so that a run can be repeated.',
        range: 'up to 200 characters; empty: real randomness',
        control: { kind: 'text', placeholder: 'none: real randomness' },
      },
      {
        path: 'debug.debugReports',
        title: 'Debug reports',
        meaning: 'Reporting origins may get debug reports at once, as with third-party cookies in Chrome.',
        range: 'on or off',
        control: { kind: 'switch' },
      },
    ],
  },
];

/** Settings that belong together, by name. */
export interface Preset {
  readonly title: string;
  readonly meaning: string;
  readonly settings: Partial<Settings>;
}

export const presets: readonly Preset[] = [
  {
    title: 'Chrome’s defaults',
    meaning:
      'As Chrome did it: its attribution and retries, reports to their origins, real noise and delay, no budget.',
    settings: {
      paused: false,
      collector: null,
      deliveryProfile: 'chrome',
      ...defaultMechanisms,
      debug: defaultSettings.debug,
    },
  },
  {
    title: 'Trial',
    meaning:
      'Nothing is lost and nothing is shown that must not be: lossless delivery, real noise and delay, debug mode off. The collector stays.',
    settings: { paused: false, deliveryProfile: 'lossless', debug: defaultSettings.debug },
  },
  {
    title: 'No noise, debugging',
    meaning:
      'Every source reports the truth at the end of its window, debug reports are allowed, the clock can be turned.',
    settings: {
      paused: false,
      debug: { enabled: true, noise: false, delay: true, seed: null, debugReports: true },
    },
  },
];

const parts = (path: string): readonly string[] => path.split('.');

/** The value at a path of the settings. */
export function valueAt(settings: Settings, path: string): Json {
  let value: unknown = settings;
  for (const part of parts(path)) value = (value as Readonly<Record<string, unknown>>)[part];
  return value as Json;
}

/** Settings that name nothing but the value at a path: what is beside it keeps its value. */
export function settingsWith(path: string, value: Json): Json {
  return parts(path).reduceRight<Json>((inner, part) => ({ [part]: inner }), value);
}
