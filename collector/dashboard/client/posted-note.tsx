import type { JSX } from 'preact';
import { columnsOf } from '../../../analysis/estimate/result/campaigns';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { t } from './language';
import { insideOf, showTime } from './words';

const notes = {
  summary: { meaning: 'summary-meaning', filtered: 'summary-filtered', others: 'summary-other-columns' },
  histogram: {
    meaning: 'histogram-meaning',
    filtered: 'histogram-filtered',
    others: 'histogram-other-columns',
  },
} as const;

/** What posted results cover, or why they are not in the table. */
export function PostedNote({
  id,
  view,
  group,
  posted: { received_time: time, rows },
  isShown,
}: Pick<Answers, 'group'> & {
  readonly id: keyof typeof notes;
  readonly posted: Answers['summary'];
  readonly view: View;
  readonly isShown: boolean;
}): JSX.Element | null {
  if (time === null) return null;
  const columns = columnsOf(rows).map(insideOf).join(', ');
  return (
    <p class="soft small" id={id}>
      {isShown
        ? t(notes[id].meaning, { time: showTime(time) })
        : isFiltered(view)
          ? t(notes[id].filtered)
          : t(notes[id].others, { columns, property: insideOf(group) })}
    </p>
  );
}
