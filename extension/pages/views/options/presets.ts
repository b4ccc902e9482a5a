import { defaultMeasurement } from '../../../../src/model/mechanisms';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { t } from '../../../i18n';

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

/** Imported settings without switching on debug mode, which only a person may do. */
export function withoutDebugMode(
  file: Settings,
  { debug }: Settings,
): { readonly settings: Settings; readonly leavesOutDebug: boolean } {
  const leavesOutDebug = file.debug.enabled && !debug.enabled;
  const settings = leavesOutDebug ? { ...file, debug: { ...file.debug, enabled: false } } : file;
  return { settings, leavesOutDebug };
}
