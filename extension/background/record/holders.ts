import { originOfPlace, type Place } from '../../../recording/places';
import type { InboxRow } from '../../../recording/requests';
import { siteOf } from '../../../src/model/site';
import { sizeOf } from '../../store/charges';

/** In bytes: a small response counts for more, because each takes time. */
export const LEAST_SIZE = 1000;

/** On whose page something asks to be registered, as far as that is known. */
export interface OnPlace {
  readonly tabId: number;
  /** Null: the browser has not told yet. */
  readonly place: Place | null;
}

const nameOf = (tabId: number): string => `tab ${tabId}`;

/**
 * Whose turn it is, and whose room: the site of the page, or of the click. Where the page is unknown it is the tab, or all workers together,
 * because one tab can have frames, workers and redirects of any number of sites.
 */
export function holderOf({ tabId, place }: OnPlace): string {
  const origin = place === null || place.kind === 'unknown' ? null : originOfPlace(place);
  return origin === null ? nameOf(tabId) : siteOf(origin);
}

/** Who holds the room of a row: its site and its tab. Workers are in no tab: those of one site must take no room of another's. */
export function holdersOf(row: InboxRow): readonly string[] {
  if ('request' in row) return [siteOf(originOfPlace(row.request.place)), nameOf(row.request.tabId)];
  const { tabId, documentOrigin } = row.response.requester;
  if (tabId >= 0) return [...new Set([holderOf({ tabId, place: row.place }), nameOf(tabId)])];
  const ofWorker =
    documentOrigin === null ? null : ({ kind: 'known', contextOrigin: documentOrigin } as const);
  return [holderOf({ tabId, place: row.place ?? ofWorker })];
}

/** In bytes: how much room a row takes. */
export const sizeOfRow = (row: InboxRow): number =>
  'request' in row ? sizeOf(row) : Math.max(LEAST_SIZE, sizeOf(row));
