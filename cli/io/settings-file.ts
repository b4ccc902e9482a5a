import { replaySettings } from '../../analysis/scenario/scenario';
import { isJsonObject } from '../../src/model/json';
import { strictly } from '../../formats/codec/issues';
import type { Settings } from '../../formats/settings/settings';
import { parseSettings } from '../../formats/settings/parse-settings';
import { parseTrial } from '../../formats/settings/parse-trial';
import type { Trial } from '../../formats/settings/trial';
import { accept, readJson } from './input';

/** Takes from a trial's file the settings that apply during participation. */
export const readSettings = (file: string): Settings => readSettingsOrTrial(file).settings;

/**
 * Settings, and their trial; null: none.
 * @throws InputError
 */
export function readSettingsOrTrial(file: string): {
  readonly settings: Settings;
  readonly trial: Trial | null;
} {
  const document = readJson(file);
  if (isJsonObject(document) && Object.hasOwn(document, 'settings')) {
    const trial = accept(file, parseTrial(document));
    return { settings: trial.settings, trial };
  }
  return { settings: accept(file, strictly(parseSettings(document, replaySettings))), trial: null };
}
