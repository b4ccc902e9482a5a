import type { Json } from '../src/model/json';
import { parseIJson } from '../formats/codec/json-text';
import { t } from './i18n';
import { words } from './words';

/** In characters: far more than a trial's texts and rules need. */
const LONGEST_TRIAL = 500_000;
/** In bytes: a character has at most three. */
export const LARGEST_TRIAL = 3 * LONGEST_TRIAL;

/** @throws Error with a message for the person when the text is not JSON, or repeats a field */
export function parseTrialText(text: string): Json {
  if (text.length > LONGEST_TRIAL) throw tooLong();
  const { value, errors } = parseIJson(text);
  if (errors.length > 0) throw new Error(words.issuesText(errors));
  return value;
}

export const tooLong = (): Error => new Error(t('trial_too_long', { count: LONGEST_TRIAL }));
