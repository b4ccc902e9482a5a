import type { Campaign, Estimated } from '../../../analysis/estimate/result/campaigns';
import type { UnrankedNote } from '../../../analysis/estimate/result/comparison';
import { t } from './language';
import { showEstimate, showFound, showInterval, showSeconds } from './words';

/* The texts in the cells of the table of campaigns. */

export const rankIn = ({ rank }: Campaign): string =>
  rank === null ? '–' : rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`;

export function withInterval(of: Estimated | null, show: Parameters<typeof showInterval>[2]): string {
  if (of === null) return '–';
  const { value, low, high } = of;
  const found = showFound(value, [low, high], show);
  return Number.isFinite(low) && Number.isFinite(high)
    ? t('with-interval', { value: found, interval: showInterval(low, high, show) })
    : found;
}

/** The sum, and the average of the sources that it is of. */
export function valuesIn({ values }: Campaign): string {
  if (values === null || Number.isNaN(values.sum.value)) return '–';
  const { sum, average, sources } = values;
  return t('values-of', {
    sum: withInterval(sum, showEstimate),
    average: withInterval(average, showEstimate),
    sources,
  });
}

/** The groups that it is tied with, or why it has no rank. */
export function tiedOrReason({ rank, tied, notes }: Campaign, nameOf: (group: string) => string): string {
  if (rank === null) return notes.map(noteIn).join('; ');
  const names = tied.map(nameOf).join(', ');
  if (rank.tied <= tied.length) return names === '' ? '–' : names;
  return t('tied-more', { names, count: rank.tied - tied.length });
}

/** What the conversions of event-level reports are of. */
export const coverageOf = ({ covered, sources, windows }: Campaign): string =>
  t('coverage', {
    all: covered === sources ? 'yes' : 'no',
    covered,
    sources,
    windows: covered === 0 ? 'none' : durations(windows),
  });

const durations = (ends: readonly number[]): string => ends.map(showSeconds).join(', ');

function noteIn(note: UnrankedNote): string {
  switch (note.id) {
    case 'uncovered-values':
      return t('uncovered-values', { count: note.count, sources: note.sources });
    case 'uncovered-buckets':
      return t('uncovered-buckets', { count: note.count, sources: note.sources });
    case 'uncovered-hidden':
      return t('uncovered-hidden', { count: note.count, sources: note.sources });
    case 'unranked-windows':
      return t('unranked-windows', { windows: durations(note.windows), usual: durations(note.usual) });
    case 'unranked-unsure':
      return t('unranked-unsure');
    case 'unranked-others':
      return t('unranked-others');
    case 'unranked-alone':
      return t('unranked-alone');
  }
}
