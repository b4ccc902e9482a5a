import { greatest } from '../../../../numeric/extremes';
import type { TimelineEvent } from '../../explain/timeline';
import type { Cell, Item } from '../../tables/table';
import { log } from '../../tables/log';
import { reports } from '../../tables/reports';
import { statusWords } from '../../words/report-status';
import { t } from '../../../i18n';
import { cellOf, labelOf } from './cells';

const MINUTE = 60_000;

/** A conversion or report of an impression, and when what led to it happened. */
export interface StoryEvent extends Pick<TimelineEvent, 'kind' | 'time' | 'words' | 'address'> {
  readonly lane: 'conversions' | 'reports';
  readonly since: number;
  readonly isWaiting: boolean;
}

/** An impression or click that was kept, with what came of it. */
export interface StoryRow {
  readonly sourceId: number;
  readonly what: string;
  readonly page: string;
  readonly time: number;
  /** As in the log. */
  readonly outcome: Cell;
  readonly events: readonly StoryEvent[];
}

export interface Story {
  /** The newest first. */
  readonly rows: readonly StoryRow[];
  /** In ms: the longest time from a row's beginning to one of its events. */
  readonly longest: number;
}

interface Told {
  readonly log: Iterable<Item>;
  readonly reports: Iterable<Item>;
  /** Whether what noise did may be shown. */
  readonly truth: boolean;
  readonly site: string | null;
  /** The most rows. */
  readonly most: number;
}

/** The newest impressions, each with its conversions and reports. */
export function storyOf(told: Told): Story {
  const entry = cellsOf(log, ['what', told.truth ? 'exact' : 'outcome', 'source', 'time', 'page']);
  const kept: Item[] = [];
  const conversions = new Map<Cell, Item[]>();
  for (const item of told.log) {
    const [what, , source] = entry(item);
    if (source === null || source === undefined) continue;
    if (what === 'conversion')
      for (const id of String(source).split(', ')) listIn(conversions, Number(id)).push(item);
    else if (told.site === null || item.sites.includes(told.site)) kept.push(item);
  }
  const reportsOf = new Map<Cell, Item[]>();
  const sourceOf = cellOf(reports, 'source');
  for (const item of told.reports) listIn(reportsOf, sourceOf(item)).push(item);
  const rows = kept
    .sort((a, b) => b.id - a.id)
    .slice(0, told.most)
    .map((item): StoryRow => {
      const [what, outcome = null, source, time, page] = entry(item);
      const start = Number(time);
      const own = (conversions.get(source ?? null) ?? []).map((one) =>
        conversionEvent(one, start, told.truth),
      );
      const due = (reportsOf.get(source ?? null) ?? []).map((one) => reportEvent(one, start, told.truth));
      return {
        ...{ sourceId: Number(source), what: labelOf(log, 'what')(what ?? null), page: String(page) },
        ...{ time: start, outcome },
        events: [...own, ...due].sort((a, b) => a.time - b.time),
      };
    });
  const spans = rows.flatMap(({ time, events }) => events.map((event) => event.time - time));
  return { rows, longest: greatest([0, ...spans]) };
}

const cellsOf =
  <Row>(table: Parameters<typeof cellOf<Row>>[0], keys: readonly string[]) =>
  (item: Item): readonly Cell[] =>
    keys.map((key) => cellOf(table, key)(item));

function listIn(map: Map<Cell, Item[]>, key: Cell): Item[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function conversionEvent(item: Item, start: number, truth: boolean): StoryEvent {
  const key = truth ? 'exact' : 'outcome';
  const [time, outcome = null] = cellsOf(log, ['time', key])(item);
  return {
    ...{ lane: 'conversions', time: Number(time), since: start, isWaiting: false },
    kind: outcome === 'credited' || outcome === 'split' ? 'credited' : 'dropped',
    words: t('explain_timeline_conversion', { id: item.id, outcome: labelOf(log, key)(outcome) }),
    address: ['triggers', item.id],
  };
}

/** A fake report comes of the impression alone, and without the truth any report may be one. */
function reportEvent(item: Item, start: number, truth: boolean): StoryEvent {
  const [due, ended, status, randomized, trigger] = cellsOf(reports, [
    ...['report_time', 'ended', 'status', 'randomized', 'trigger_time'],
  ])(item);
  const isFake = truth && randomized !== 'true';
  return {
    ...{ lane: 'reports', time: Number(ended ?? due), isWaiting: ended === null },
    since: truth && !isFake && typeof trigger === 'number' ? trigger : start,
    kind: status === 'replaced' ? 'replaced' : isFake ? 'fake-report' : 'true-report',
    words: t('explain_timeline_report', {
      kind: truth ? String(randomized) : 'hidden',
      id: item.id,
      status: statusWords(String(status)),
    }),
    address: ['reports', item.id],
  };
}

/**
 * Where a time after the impression stands on the line, from 0 to 1. It grows with the logarithm, because conversions come after minutes and
 * reports after days.
 */
export const placeOf = (elapsed: number, longest: number): number =>
  Math.log1p(Math.max(0, elapsed) / MINUTE) / Math.log1p(Math.max(MINUTE, longest) / MINUTE);
