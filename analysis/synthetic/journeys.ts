import { after, days, hours, milliseconds, minutes, type Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { groupOf } from '../experiment/logged-sources';
import type { ScenarioEvent } from '../scenario/scenario';
import { scenarioRegistration } from '../scenario/scenario-registration';
import { bucketName, type Profile } from '../w3c/profile';
import { simulateApiUser } from '../w3c/user';
import type { MarginalPlan, Row } from './private-marginals';
import type { Allowed } from './tree-model';

/*
 * A journey is what one person saw of one kind of source in a period, and the conversions that these sources led to. It is a row: a value of each
 * of these attributes, most of which are ranges.
 */

const attributes = ['kind', 'conversions', 'impressions', 'delay', 'day', 'span'] as const;
type Attribute = (typeof attributes)[number];

const placeOf = (attribute: Attribute): number => attributes.indexOf(attribute);

/** The conversions of the last value: 3 or more, which count as 3. */
export const MOST_CONVERSIONS = 3;
/** Where ranges of numbers of impressions begin. */
const IMPRESSIONS = [1, 2, 3, 4, 6, 9, 17] as const;
/** Where ranges of the time from the last impression to the first conversion begin. Value 0 stands for no conversion. */
const DELAYS = [0, minutes(30), hours(1), hours(3), hours(6), hours(12), days(1), days(3), days(7)] as const;
const LONGEST_DELAY = days(30);
/** Where ranges of days from the first impression to the last begin. */
const SPANS = [0, 1, 2, 4, 8, 16] as const;
const MOST_DAYS = 31;

export interface Period {
  readonly start: Moment;
  readonly days: number;
}

/** @param kinds how many kinds of sources there are. @param length of the period, in days. */
export const journeySizes = (kinds: number, length: number): readonly number[] => {
  const sizes: Readonly<Record<Attribute, number>> = {
    kind: kinds,
    conversions: MOST_CONVERSIONS + 1,
    impressions: IMPRESSIONS.length,
    delay: DELAYS.length + 1,
    day: Math.ceil(length / daysOfValue(length)),
    span: SPANS.length,
  };
  return attributes.map((attribute) => sizes[attribute]);
};

/** Campaign by conversions is always measured: most questions are about it. */
export const JOURNEY_PAIR = [placeOf('kind'), placeOf('conversions')] as const satisfies MarginalPlan['kept'];

/** Only a journey with a conversion has a delay, and one impression has no span. */
export const possible: Allowed = (row, attribute, value) => {
  const valueAt = (of: Attribute): number => (attribute === placeOf(of) ? value : (row[placeOf(of)] ?? -1));
  const [conversions, delay] = [valueAt('conversions'), valueAt('delay')];
  if (conversions >= 0 && delay >= 0 && conversions > 0 !== delay > 0) return false;
  return !(valueAt('impressions') === 0 && valueAt('span') > 0);
};

/** What one person's events are to journeys. */
interface Seen {
  readonly times: Moment[];
  readonly conversions: Moment[];
}

export class JourneyReader {
  /** By name of the group. */
  private readonly kinds: ReadonlyMap<string, number>;
  private readonly names: readonly string[];

  /**
   * @param columns that make a group, as for `groupOf`
   * @param groups the kinds of sources
   * @param profile attributes each conversion to one of the groups, in their order, without limits.
   */
  constructor(
    private readonly columns: readonly string[],
    groups: readonly (readonly string[])[],
    private readonly profile: Profile,
  ) {
    this.names = groups.map(bucketName);
    this.kinds = new Map(this.names.map((name, index) => [name, index]));
  }

  /** @param events of one person. Those outside the period count as if they had not happened. */
  rows(
    events: readonly ScenarioEvent[],
    period: Period,
    random: (stream: number) => RandomSource,
  ): readonly Row[] {
    const own = events.filter(({ time }) => isIn(period, time));
    const found = this.impressions(own);
    // Reports say when they were made, and in which bucket the credit is.
    for (const { time, histogram } of simulateApiUser(own, this.profile, random).reports) {
      const kind = histogram.findIndex((value) => value > 0);
      found.get(kind)?.conversions.push(time);
    }
    return [...found].map(([kind, seen]) => rowOf(kind, seen, period));
  }

  private impressions(events: readonly ScenarioEvent[]): ReadonlyMap<number, Seen> {
    const found = new Map<number, Seen>();
    for (const event of events) {
      if (event.kind !== 'request') continue;
      for (const response of event.responses) {
        const result = scenarioRegistration(event, response);
        if (result.kind === 'ignored') continue;
        const { header, register } = result.registration;
        if (register.kind !== 'source') continue;
        const kind = this.kinds.get(bucketName(groupOf(header, register.sourceType, this.columns)));
        if (kind === undefined) continue;
        const seen = found.get(kind) ?? { times: [], conversions: [] };
        seen.times.push(event.time);
        found.set(kind, seen);
      }
    }
    return found;
  }
}

const isIn = ({ start, days: length }: Period, time: Moment): boolean =>
  time >= start && time < after(start, days(length));

function rowOf(kind: number, { times, conversions }: Seen, { start, days: length }: Period): Row {
  const [first] = times;
  const [converted] = conversions;
  const [begun, ended] = [first ?? start, times.at(-1) ?? start];
  const before = times.findLast((time) => converted !== undefined && time <= converted) ?? begun;
  const values: Readonly<Record<Attribute, number>> = {
    kind,
    conversions: Math.min(conversions.length, MOST_CONVERSIONS),
    impressions: rangeOf(IMPRESSIONS, times.length),
    delay: converted === undefined ? 0 : 1 + rangeOf(DELAYS, converted - before),
    day: Math.floor(dayOf(begun - start) / daysOfValue(length)),
    span: times.length === 1 ? 0 : rangeOf(SPANS, dayOf(ended - begun)),
  };
  return attributes.map((attribute) => values[attribute]);
}

const dayOf = (duration: number): number => Math.floor(duration / days(1));

/** How many days one value of `day` stands for. */
const daysOfValue = (length: number): number => Math.ceil(length / MOST_DAYS);

const rangeOf = (starts: readonly number[], value: number): number =>
  Math.max(
    0,
    starts.findLastIndex((start) => value >= start),
  );

/** One journey with numbers in place of ranges. */
export interface DrawnJourney {
  readonly kind: number;
  readonly impressions: readonly Moment[];
  readonly conversions: readonly Moment[];
}

/** Draws numbers within the ranges of a row, all with the same chance. */
export function drawnJourney(
  row: Row,
  period: Period,
  uniform: (from: number, to: number) => number,
): DrawnJourney {
  const valueOf = (attribute: Attribute): number => row[placeOf(attribute)] ?? 0;
  const number = within(IMPRESSIONS, valueOf('impressions'), 2 * (IMPRESSIONS.at(-1) ?? 1), uniform);
  const width = daysOfValue(period.days) * days(1);
  const end = after(period.start, days(period.days));
  const first = after(period.start, milliseconds(valueOf('day') * width + uniform(0, width)));
  const span =
    within(SPANS, valueOf('span'), 2 * (SPANS.at(-1) ?? 1), uniform) * days(1) + uniform(0, days(1));
  const last = Math.min(end - 1, first + span);
  const impressions = [
    Math.min(first, end - 1),
    ...Array.from({ length: Math.max(0, number - 2) }, () => uniform(Math.min(first, last), last + 1)),
    ...(number > 1 ? [last] : []),
  ].sort((a, b) => a - b);
  const delay = (): number => within(DELAYS, Math.max(0, valueOf('delay') - 1), LONGEST_DELAY, uniform);
  const conversions: number[] = [];
  for (let done = 0; done < valueOf('conversions'); done++)
    conversions.push((conversions.at(-1) ?? impressions.at(-1) ?? first) + 1 + delay());
  return {
    kind: valueOf('kind'),
    impressions: impressions.map((time) => after(period.start, milliseconds(time - period.start))),
    conversions: conversions.map((time) => after(period.start, milliseconds(time - period.start))),
  };
}

const within = (
  starts: readonly number[],
  value: number,
  most: number,
  uniform: (from: number, to: number) => number,
): number => uniform(starts[value] ?? 0, starts[value + 1] ?? most);
