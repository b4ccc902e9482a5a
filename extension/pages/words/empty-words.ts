import { isOver } from '../../consent/agreement';
import { t } from '../../i18n';
import type { Overview } from '../../messages';

/** @param whileRecording how to get entries here, shown only while Cointoss records */
export function emptyWords(
  { consentStatus, paused, trial, now }: Pick<Overview, 'consentStatus' | 'paused' | 'trial' | 'now'>,
  whileRecording: string,
): string {
  if (consentStatus === 'recording') return paused ? t('asked_empty', { why: 'paused' }) : whileRecording;
  // Nobody can accept a trial that is over.
  const why = trial !== null && isOver(trial, now) ? 'ended' : consentStatus;
  return t('asked_empty', { why });
}
