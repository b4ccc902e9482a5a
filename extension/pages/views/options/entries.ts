import { modelsBeside } from '../../../../analysis/credits/models';
import { asJson } from '../../../../formats/codec/plain-json';
import { defaultMeasurement, type LabelNoise } from '../../../../src/model/mechanisms';
import { modelName } from '../../words/model-names';
import type { Json } from '../../../../src/model/json';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { t } from '../../../i18n';

export type Control =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, title: string])[] }
  /** Empty stands for null. */
  | { readonly kind: 'text'; readonly placeholder: string }
  /** Empty stands for null. */
  | { readonly kind: 'number'; readonly placeholder: string }
  /** An object as JSON, with examples to insert. */
  | { readonly kind: 'json'; readonly examples: readonly (readonly [title: string, value: Json])[] }
  /** One item a line. */
  | { readonly kind: 'lines'; readonly placeholder: string };

/** To add a setting, add another of these. */
export interface SettingEntry {
  /** As `parseSettings` names it in its errors: `debug.noise`. */
  readonly path: string;
  readonly title: string;
  readonly meaning: string;
  /** The allowed values, in words. */
  readonly range: string;
  readonly control: Control;
}

export interface SettingGroup {
  readonly title: string;
  readonly entries: readonly SettingEntry[];
}

type Examples<Kind extends string> = Readonly<Record<Kind, readonly [title: string, example: Json]>>;

const modelExamples = modelsBeside(defaultSettings.attribution).map(
  (model) => [modelName(model.kind), asJson(model)] as const,
);

const noiseExamples: Examples<LabelNoise['kind']> = {
  rr: [t('settings_mechanism_rr'), { kind: 'rr' }],
  'rr-with-prior': [t('settings_mechanism_prior'), { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] }],
  'rr-on-bins': [
    t('settings_mechanism_bins'),
    { kind: 'rr-on-bins', values: [0, 1, 10], prior: [0.9, 0.07, 0.03], loss: 'squared' },
  ],
  unbiased: [
    t('settings_mechanism_unbiased'),
    { kind: 'unbiased', values: [0, 1, 10], prior: [0.9, 0.07, 0.03] },
  ],
};

export const settingGroups: readonly SettingGroup[] = [
  {
    title: t('settings_recording'),
    entries: [
      {
        path: 'paused',
        title: t('settings_paused_title'),
        meaning: t('settings_paused_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'pausedSites',
        title: t('settings_paused_sites_title'),
        meaning: t('settings_paused_sites_meaning'),
        range: t('settings_paused_sites_range'),
        control: { kind: 'lines', placeholder: 'https://shop.example' },
      },
      {
        path: 'w3cAttribution',
        title: t('settings_w3c_title'),
        meaning: t('settings_w3c_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
    ],
  },
  {
    title: t('settings_delivery'),
    entries: [
      {
        path: 'collector',
        title: t('settings_collector_title'),
        meaning: t('settings_collector_meaning'),
        range: t('settings_collector_range'),
        control: { kind: 'text', placeholder: t('settings_collector_placeholder') },
      },
      {
        path: 'aggregatableReports',
        title: t('settings_aggregatable_title'),
        meaning: t('settings_aggregatable_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'aggregationKeys',
        title: t('settings_aggregation_keys_title'),
        meaning: t('settings_aggregation_keys_meaning'),
        range: t('settings_aggregation_keys_range'),
        control: {
          kind: 'json',
          examples: [[t('settings_aggregation_keys_example'), [{ id: '', key: '' }]]],
        },
      },
      {
        path: 'deliveryProfile',
        title: t('settings_profile_title'),
        meaning: t('settings_profile_meaning'),
        range: t('settings_profile_range'),
        control: {
          kind: 'choice',
          choices: [
            ['lossless', t('settings_profile_lossless')],
            ['chrome', t('settings_profile_chrome')],
          ],
        },
      },
    ],
  },
  {
    title: t('settings_attribution'),
    entries: [
      {
        path: 'attribution',
        title: t('settings_model_title'),
        meaning: t('settings_model_meaning'),
        range: t('settings_model_range'),
        control: { kind: 'json', examples: modelExamples },
      },
    ],
  },
  {
    title: t('settings_noise'),
    entries: [
      {
        path: 'labelNoise',
        title: t('settings_mechanism_title'),
        meaning: t('settings_mechanism_meaning'),
        range: t('settings_mechanism_range'),
        control: { kind: 'json', examples: Object.values(noiseExamples) },
      },
      {
        path: 'limits',
        title: t('settings_limits_title'),
        meaning: t('settings_limits_meaning'),
        range: t('settings_limits_range'),
        control: {
          kind: 'choice',
          choices: [
            ['private', t('settings_limits_private')],
            ['specification', t('settings_limits_specification')],
          ],
        },
      },
    ],
  },
  {
    title: t('settings_budget'),
    entries: [
      {
        path: 'budget.unit',
        title: t('settings_unit_title'),
        meaning: t('settings_unit_meaning'),
        range: t('settings_unit_range'),
        control: {
          kind: 'choice',
          choices: [
            ['impression', t('settings_unit_impression')],
            ['user-publisher', t('settings_unit_publisher')],
            ['user-advertiser', t('settings_unit_advertiser')],
            ['user', t('settings_unit_user')],
          ],
        },
      },
      {
        path: 'budget.period',
        title: t('settings_period_title'),
        meaning: t('settings_period_meaning'),
        range: t('settings_period_range'),
        control: { kind: 'number', placeholder: t('settings_period_placeholder') },
      },
      {
        path: 'budget.cap',
        title: t('settings_cap_title'),
        meaning: t('settings_cap_meaning'),
        range: t('settings_cap_range'),
        control: { kind: 'number', placeholder: t('settings_cap_placeholder') },
      },
      {
        path: 'budget.epsilon',
        title: t('settings_epsilon_title'),
        meaning: t('settings_epsilon_meaning'),
        range: t('settings_epsilon_range'),
        control: { kind: 'number', placeholder: t('settings_epsilon_placeholder') },
      },
      {
        path: 'budget.joint',
        title: t('settings_joint_title'),
        meaning: t('settings_joint_meaning'),
        range: t('settings_joint_range'),
        control: {
          kind: 'json',
          examples: [
            [t('settings_joint_none'), null],
            [t('settings_joint_halves'), { epsilon: 4, reportingSite: 2, sourceSite: 2, destination: 2 }],
          ],
        },
      },
      {
        path: 'budget.owners',
        title: t('settings_owners_title'),
        meaning: t('settings_owners_meaning'),
        range: t('settings_owners_range'),
        control: {
          kind: 'json',
          examples: [[t('settings_owners_example'), [['https://ads.example', 'https://pixel.example']]]],
        },
      },
      {
        path: 'budget.attributionEpsilon',
        title: t('settings_kept_title'),
        meaning: t('settings_kept_meaning'),
        range: t('settings_kept_range'),
        control: { kind: 'number', placeholder: '0' },
      },
      {
        path: 'budget.delta',
        title: t('settings_delta_title'),
        meaning: t('settings_delta_meaning'),
        range: t('settings_delta_range'),
        control: { kind: 'number', placeholder: '0' },
      },
    ],
  },
  {
    title: t('settings_debug'),
    entries: [
      {
        path: 'debug.enabled',
        title: t('settings_debug_enabled_title'),
        meaning: t('settings_debug_enabled_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'debug.noise',
        title: t('settings_debug_noise_title'),
        meaning: t('settings_debug_noise_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'debug.delay',
        title: t('settings_debug_delay_title'),
        meaning: t('settings_debug_delay_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'debug.seed',
        title: t('settings_debug_seed_title'),
        meaning: t('settings_debug_seed_meaning'),
        range: t('settings_debug_seed_range'),
        control: { kind: 'text', placeholder: t('settings_debug_seed_placeholder') },
      },
      {
        path: 'debug.debugReports',
        title: t('settings_debug_reports_title'),
        meaning: t('settings_debug_reports_meaning'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
      {
        path: 'debug.privateNetworks',
        title: t('debug_private_networks'),
        meaning: t('debug_private_networks_what'),
        range: t('settings_on_or_off'),
        control: { kind: 'switch' },
      },
    ],
  },
];

export interface Preset {
  readonly title: string;
  readonly meaning: string;
  readonly settings: Partial<Settings>;
}

export const presets: readonly Preset[] = [
  {
    title: t('settings_preset_chrome_title'),
    meaning: t('settings_preset_chrome_meaning'),
    settings: {
      paused: false,
      collector: null,
      deliveryProfile: 'chrome',
      ...defaultMeasurement,
      limits: 'specification',
      debug: defaultSettings.debug,
    },
  },
  {
    title: t('settings_preset_trial_title'),
    meaning: t('settings_preset_trial_meaning'),
    settings: { paused: false, deliveryProfile: 'lossless', limits: 'private', debug: defaultSettings.debug },
  },
  {
    title: t('settings_preset_debug_title'),
    meaning: t('settings_preset_debug_meaning'),
    settings: {
      paused: false,
      debug: {
        enabled: true,
        noise: false,
        delay: true,
        seed: null,
        debugReports: true,
        privateNetworks: false,
      },
    },
  },
];

const parts = (path: string): readonly string[] => path.split('.');

export function valueAt(settings: Settings, path: string): Json {
  let value: unknown = settings;
  for (const part of parts(path)) value = (value as Readonly<Record<string, unknown>>)[part];
  return value as Json;
}

/** Settings with only the value at `path`; the others keep their values. */
export function settingsWith(path: string, value: Json): Json {
  return parts(path).reduceRight<Json>((inner, part) => ({ [part]: inner }), value);
}

/** Imported settings without switching on debug mode, which only a person may do. */
export function withoutDebugMode(
  file: Settings,
  { debug }: Settings,
): { readonly taken: Settings; readonly leavesOutDebug: boolean } {
  const leavesOutDebug = file.debug.enabled && !debug.enabled;
  const taken = leavesOutDebug ? { ...file, debug: { ...file.debug, enabled: false } } : file;
  return { taken, leavesOutDebug };
}
