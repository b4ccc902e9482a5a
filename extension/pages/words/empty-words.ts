import { isOver } from '../../consent/standing';
import { t } from '../../i18n';
import type { Overview } from '../../messages';

/** @param whileRecording how to get entries here, shown only while Cointoss records */
export function emptyWords(
  { standing, paused, trial, now }: Pick<Overview, 'standing' | 'paused' | 'trial' | 'now'>,
  whileRecording: string,
): string {
  if (standing === 'recording') return paused ? t('asked_empty', { why: 'paused' }) : whileRecording;
  // Nobody can accept a trial that is over.
  const why = trial !== null && isOver(trial, now) ? 'ended' : standing;
  return t('asked_empty', { why });
}
