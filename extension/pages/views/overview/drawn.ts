import type { StoryEvent } from './story';

type Kind = StoryEvent['kind'];

/** In px: a mark with the space around it, then “× ” and each digit of the number beside it. */
const ROOM = { mark: 18, times: 22, digit: 8 } as const;
/** A source has no more reports than this, so no more lines lead to one mark. */
const MOST_LINES = 20;
/** The most events of a kind that are named one by one. */
const MOST_NAMED = 5;

/** Events of one kind that have no room for a mark each. */
export interface Group {
  readonly kind: Kind;
  /** In px. */
  readonly place: number;
  readonly events: readonly StoryEvent[];
}

const roomOf = ({ length }: readonly StoryEvent[]): number =>
  length === 1 ? ROOM.mark : ROOM.mark + ROOM.times + ROOM.digit * String(length).length;

/**
 * The marks of each kind. Neither a mark nor the number beside it touches another one.
 * @param events by time
 * @param at the place of a time, in px
 */
export function groupsOf(events: readonly StoryEvent[], at: (time: number) => number): readonly Group[] {
  const groups: (Group & { readonly events: StoryEvent[] })[] = [];
  const latest = new Map<Kind, (typeof groups)[number]>();
  for (const event of events) {
    const { kind } = event;
    const place = at(event.time);
    const last = latest.get(kind);
    if (last !== undefined && place - last.place < roomOf(last.events)) last.events.push(event);
    else {
      const group = { kind, place, events: [event] };
      groups.push(group);
      latest.set(kind, group);
    }
  }
  return groups;
}

/** A line from what led to events to their mark. Places are in px. */
interface Wait {
  readonly from: number;
  readonly event: StoryEvent;
}

/** The lines to a mark: one for all that begin within the width of a mark. */
export function waitsOf({ events }: Group, at: (time: number) => number): readonly Wait[] {
  const waits = new Map<string, Wait>();
  for (const event of events) {
    if (waits.size === MOST_LINES) break;
    const from = at(event.since);
    const key = `${String(event.isWaiting)} ${Math.round(from / ROOM.mark)}`;
    if (!waits.has(key)) waits.set(key, { from, event });
  }
  return [...waits.values()];
}

export interface Summary {
  /** The first events of each kind, by time. */
  readonly named: readonly StoryEvent[];
  /** How many of a kind are not named. */
  readonly more: readonly { readonly kind: Kind; readonly count: number }[];
}

/** What a row says in words. @param events by time */
export function summaryOf(events: readonly StoryEvent[]): Summary {
  const counts = new Map<Kind, number>();
  const named = events.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= MOST_NAMED;
  });
  const more = [...counts].map(([kind, count]) => ({ kind, count: count - MOST_NAMED }));
  return { named, more: more.filter(({ count }) => count > 0) };
}
