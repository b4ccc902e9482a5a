import { after, days, hours, type Moment } from '../../src/model/units';
import type { Journey } from './journeys';

/** How long ago the last source of a channel was: within an hour, a day, a week, or longer, which counts as absent. */
const AGES = [hours(1), days(1), days(7)] as const;
export const AGE_COUNT = AGES.length;

/** A journey has no conversion if none came within this time after its last source. */
const WATCHED = days(14);

/** For each channel so far how long ago its last source is, as a number of AGES. In order of the channels. */
export type Pattern = readonly (readonly [channel: string, age: number])[];

/** A part of a journey in which the pattern is the same. */
export interface Span {
  readonly pattern: Pattern;
  readonly hours: number;
}

function patternAt(last: ReadonlyMap<string, Moment>, time: Moment): Pattern {
  return [...last]
    .map(([channel, touched]): readonly [string, number] => [
      channel,
      AGES.filter((age) => time - touched >= age).length,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Divides a journey into spans, from its first source on. */
export function* spansOf({ touches }: Journey): Generator<Span, void, undefined> {
  const last = new Map<string, Moment>();
  const changes = touches.flatMap(({ time }) => [time, ...AGES.map((age) => after(time, age))]);
  const end = after(touches.at(-1)?.time ?? (0 as Moment), WATCHED);
  const times = [...new Set([...changes, end])].sort((a, b) => a - b);
  let next = 0;
  for (const [index, time] of times.entries()) {
    for (let touch = touches[next]; touch !== undefined && touch.time <= time; touch = touches[++next])
      last.set(touch.channel, touch.time);
    const until = times[index + 1];
    if (until !== undefined) yield { pattern: patternAt(last, time), hours: (until - time) / hours(1) };
  }
}

/** The pattern of a journey at a conversion; null before its first source. */
export function patternOfConversion({ touches }: Journey, time: Moment): Pattern | null {
  const last = new Map<string, Moment>();
  for (const touch of touches) if (touch.time <= time) last.set(touch.channel, touch.time);
  return last.size === 0 ? null : patternAt(last, time);
}

/** From the JSON of a pattern. */
export const parsePattern = (json: string): Pattern => JSON.parse(json) as Pattern;
