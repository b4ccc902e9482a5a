import type { Json } from '../../src/model/recording-rule';
import { defaultSettings, type Settings } from '../../src/model/settings';

/** How one setting is edited. */
export type Control =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, title: string])[] }
  /** Empty stands for null. */
  | { readonly kind: 'text'; readonly placeholder: string }
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
    meaning: 'As Chrome did it: its retries, reports to their origins, real noise and delay.',
    settings: { paused: false, collector: null, deliveryProfile: 'chrome', debug: defaultSettings.debug },
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
