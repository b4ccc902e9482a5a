import { replaySettings } from '../analysis/scenario/scenario';
import { isJsonObject } from '../src/model/json';
import { strictly } from '../formats/codec/issues';
import type { Settings } from '../formats/settings/settings';
import { parseSettings } from '../formats/settings/parse-settings';
import { parseTrial } from '../formats/settings/parse-trial';
import { accept, readJson } from './input';

/** From a trial's file, takes the settings that apply during participation. */
export function readSettings(file: string): Settings {
  const document = readJson(file);
  if (isJsonObject(document) && Object.hasOwn(document, 'settings'))
    return accept(file, parseTrial(document)).settings;
  return accept(file, strictly(parseSettings(document, replaySettings)));
}
