import { modelsBeside } from '../../../../analysis/credits/models';
import { asJson } from '../../../../formats/codec/plain-json';
import { settings as settingsCodec } from '../../../../formats/settings/parse-settings';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { isJsonObject, type Json } from '../../../../src/model/json';
import type { LabelNoise } from '../../../../src/model/mechanisms';
import { t, type MessageName } from '../../../i18n';
import { asText } from '../../words/typed-numbers';
import { allOf } from '../../words/words';
import { kindIn, schemaAt, shapeOf, type Shape } from './shape';
import { fieldNames, kindName } from './shape-words';

export type Control =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, title: string])[] }
  /** Empty stands for null. */
  | { readonly kind: 'text'; readonly placeholder: string }
  /** Empty stands for null. */
  | { readonly kind: 'number'; readonly placeholder: string }
  /** What the setting's own shape asks for. An example is what a new kind, entry or value begins with. */
  | { readonly kind: 'shape'; readonly shape: Shape; readonly examples: readonly Json[] }
  /** One item a line. */
  | { readonly kind: 'lines'; readonly placeholder: string };

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

type Named<End extends string> = MessageName extends infer Name
  ? Name extends `${infer Start}_${End}`
    ? Start
    : never
  : never;

type Described = Named<'title'> & Named<'meaning'>;

const onOrOff = (path: string, name: Described): SettingEntry => ({
  path,
  title: t(`${name}_title`),
  meaning: t(`${name}_meaning`),
  range: t('settings_on_or_off'),
  control: { kind: 'switch' },
});

/** A setting whose texts are the messages NAME_title, NAME_meaning and NAME_range. */
const entry = (path: string, name: Described & Named<'range'>, control: Control): SettingEntry => ({
  path,
  title: t(`${name}_title`),
  meaning: t(`${name}_meaning`),
  range: t(`${name}_range`),
  control,
});

const { schema } = settingsCodec(defaultSettings);

const shaped = (path: string, name: Described & Named<'range'>, examples: readonly Json[]): SettingEntry =>
  entry(path, name, { kind: 'shape', shape: shapeOf(schemaAt(schema, path)), examples });

const noiseExamples: { readonly [Kind in LabelNoise['kind']]: Json & { readonly kind: Kind } } = {
  rr: { kind: 'rr' },
  'rr-with-prior': { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] },
  'rr-on-bins': { kind: 'rr-on-bins', values: [0, 1, 10], prior: [0.9, 0.07, 0.03], loss: 'squared' },
  unbiased: { kind: 'unbiased', values: [0, 1, 10], prior: [0.9, 0.07, 0.03] },
};

export const settingGroups: readonly SettingGroup[] = [
  {
    title: t('settings_recording'),
    entries: [
      onOrOff('paused', 'settings_paused'),
      entry('pausedSites', 'settings_paused_sites', { kind: 'lines', placeholder: 'https://shop.example' }),
      onOrOff('w3cAttribution', 'settings_w3c'),
      shaped('liftTest', 'settings_lift_test', [{ campaign: 'campaign', holdout: 0.5 }]),
    ],
  },
  {
    title: t('settings_delivery'),
    entries: [
      entry('collector', 'settings_collector', {
        kind: 'text',
        placeholder: t('settings_collector_placeholder'),
      }),
      onOrOff('aggregatableReports', 'settings_aggregatable'),
      shaped('aggregationKeys', 'settings_aggregation_keys', [{ id: '', key: '' }]),
      entry('deliveryProfile', 'settings_profile', {
        kind: 'choice',
        choices: [
          ['lossless', t('settings_profile_lossless')],
          ['chrome', t('settings_profile_chrome')],
        ],
      }),
    ],
  },
  {
    title: t('nav_attribution'),
    entries: [shaped('attribution', 'settings_model', modelsBeside(defaultSettings.attribution).map(asJson))],
  },
  {
    title: t('settings_debug_noise_title'),
    entries: [
      shaped('labelNoise', 'settings_mechanism', Object.values(noiseExamples)),
      entry('limits', 'settings_limits', {
        kind: 'choice',
        choices: [
          ['private', t('settings_limits_private')],
          ['specification', t('settings_limits_specification')],
        ],
      }),
    ],
  },
  {
    title: t('settings_budget'),
    entries: [
      entry('budget.unit', 'settings_unit', {
        kind: 'choice',
        choices: [
          ['impression', t('tables_what_impression')],
          ['user-publisher', t('settings_unit_publisher')],
          ['user-advertiser', t('settings_unit_advertiser')],
          ['user', t('settings_unit_user')],
        ],
      }),
      entry('budget.period', 'settings_period', {
        kind: 'number',
        placeholder: t('settings_period_placeholder'),
      }),
      entry('budget.cap', 'settings_cap', { kind: 'number', placeholder: t('settings_cap_placeholder') }),
      entry('budget.epsilon', 'settings_epsilon', {
        kind: 'number',
        placeholder: t('settings_epsilon_placeholder'),
      }),
      shaped('budget.joint', 'settings_joint', [
        { epsilon: 4, reportingSite: 2, sourceSite: 2, destination: 2 },
      ]),
      shaped('budget.owners', 'settings_owners', [[]]),
      entry('budget.attributionEpsilon', 'settings_kept', { kind: 'number', placeholder: '0' }),
      entry('budget.delta', 'settings_delta', { kind: 'number', placeholder: '0' }),
    ],
  },
  {
    title: t('settings_debug_enabled_title'),
    entries: [
      onOrOff('debug.enabled', 'settings_debug_enabled'),
      onOrOff('debug.noise', 'settings_debug_noise'),
      onOrOff('debug.delay', 'settings_debug_delay'),
      entry('debug.seed', 'settings_debug_seed', {
        kind: 'text',
        placeholder: t('settings_debug_seed_placeholder'),
      }),
      onOrOff('debug.debugReports', 'settings_debug_reports'),
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

/** A setting's value as the options page shows it. */
export function valueInWords(control: Control, value: Json): string {
  if (typeof value === 'boolean') return value ? t('settings_on') : t('settings_off');
  if (value === null || (Array.isArray(value) && value.length === 0)) return t('settings_none');
  const kind = kindIn(value);
  if (kind !== null) return kindName(kind);
  if (Array.isArray(value)) return allOf(value.map((one: Json) => valueInWords(control, one)));
  if (isJsonObject(value))
    return allOf(
      Object.entries(value).map(
        ([name, one]) => `${fieldNames[name] ?? name}: ${valueInWords(control, one)}`,
      ),
    );
  const choice = control.kind === 'choice' ? control.choices.find(([name]) => name === value) : undefined;
  return choice?.[1] ?? asText(value);
}
