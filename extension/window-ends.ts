import type { Source } from '../src/model/records';
import { after, type Moment } from '../src/model/units';

/** A report window of a source in absolute time. */
export interface WindowSpan {
  readonly index: number;
  readonly start: Moment;
  readonly end: Moment;
}

export const windowSpans = ({
  time,
  registration,
}: Pick<Source, 'time' | 'registration'>): readonly (readonly WindowSpan[])[] =>
  registration.triggerSpecs.map(({ windows }) =>
    windows.ends.map((end, index) => ({
      index,
      start: after(time, windows.ends[index - 1] ?? windows.start),
      end: after(time, end),
    })),
  );

/** The first window of sources that ends after `now`; null if none does. */
export function nextEnd(sources: Iterable<Source>, now: Moment): Moment | null {
  let next: Moment | null = null;
  for (const source of sources)
    for (const end of windowEnds(source)) if (end > now && (next === null || end < next)) next = end;
  return next;
}

/** Distinct ends of a source's report windows, ascending. */
export const windowEnds = (source: Source): readonly Moment[] =>
  [...new Set(windowSpans(source).flatMap((spans) => spans.map(({ end }) => end)))].sort((a, b) => a - b);
