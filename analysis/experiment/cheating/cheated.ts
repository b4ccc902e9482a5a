import { greatest } from '../../../numeric/extremes';
import type { JsonObject } from '../../../src/model/json';
import { siteOf } from '../../../src/model/site';
import { after, days, milliseconds, type Moment, type Origin } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { uniformBelow } from '../../../src/privacy/uniform';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../../formats/registration/header';
import { timesOf, type ScenarioEvent, type ScenarioResponse } from '../../scenario/scenario';
import { destinationsOf } from '../conversion-delays';
import { withHeader } from '../set-fields';
import type { Cheating } from './cheating';

/** The number of a stream of a person's randomness, beside those of measurements. */
export const CHEATING_STREAM = 2 ** 53 - 6;

/** The key of filter data that says whose a source is. */
export const PUBLISHER = 'publisher';
/** Its values. What the cheat's own sites count for each other is nobody's gain. */
export type Publisher = 'honest' | 'cheat' | 'drain';

/** The events of a person when somebody cheats. */
export interface CheatedPerson {
  /** What happened. */
  readonly honest: readonly ScenarioEvent[];
  /** The events that the browser receives. */
  readonly told: readonly ScenarioEvent[];
  /** The events of made-up browsers, as forgers claim; one list for each browser. */
  readonly forged: readonly (readonly ScenarioEvent[])[];
}

/** Made-up logs have 100 for clicks, too. */
const PRIORITY = { views: '0', clicks: '100' } as const;
/** The cheat knows the person's first ad to this. */
const AROUND = days(15);
const WEEK = days(7);
/** In milliseconds: how long before its conversion a forged ad is claimed. */
const CLAIMED_BEFORE = 60_000;

type Request = Extract<ScenarioEvent, { readonly kind: 'request' }>;

/** Adds what a cheat does to one person's log, which is in order of time. Only the plan, the log and the randomness decide it. */
export function cheated(
  events: readonly ScenarioEvent[],
  cheating: Cheating,
  random: RandomSource,
): CheatedPerson {
  const honest = events.map((event) => ofPublisher(event, 'honest'));
  const ads = honest.filter((event): event is Request => event.kind === 'request' && registersSource(event));
  const [first] = ads;
  if (first === undefined || cheating.kind === 'none') return { honest, told: honest, forged: [] };
  if (cheating.kind === 'forgery')
    return { honest, told: honest, forged: forgeries(honest, cheating, random) };
  const from = Math.max(0, first.time - AROUND) as Moment;
  const until = greatest([first.time + AROUND, ...honest.slice(-1).flatMap(timesOf)]) as Moment;
  const added =
    cheating.kind === 'drain'
      ? drained(first, cheating, from, until, random)
      : invented(ads, cheating, from, until, random);
  return { honest, told: merged(honest, added), forged: [] };
}

/** Each is like one of the person's ads, with the same advertiser and ad server, but of the cheat. */
function invented(
  ads: readonly Request[],
  { kind, count }: Extract<Cheating, { readonly kind: 'views' | 'clicks' }>,
  from: Moment,
  until: Moment,
  random: RandomSource,
): readonly Request[] {
  return Array.from({ length: count }, () => {
    // There is at least one.
    const ad = ads[Number(uniformBelow(random, BigInt(ads.length)))] as Request;
    const time = within(from, until, random);
    const clicked = kind === 'clicks';
    return {
      ...claimed(ad, time, random, { priority: PRIORITY[kind] }),
      eligibility: clicked ? ('navigation-source' as const) : ('event-source' as const),
    };
  });
}

/** In each week, every site of the cheat has an ad of its own, and a conversion. */
function drained(
  ad: Request,
  { publishers, sites }: Extract<Cheating, { readonly kind: 'drain' }>,
  from: Moment,
  until: Moment,
  random: RandomSource,
): readonly Request[] {
  const found: Request[] = [];
  for (let week = from; week < until; week = after(week, WEEK)) {
    const time = within(week, after(week, WEEK), random);
    for (let site = 0; site < sites; site++) {
      const shop = `https://shop.cheat${site}.example` as Origin;
      found.push(
        ofPublisher(
          {
            ...claimed(ad, time, random, { destination: siteOf(shop) }),
            contextOrigin: `https://cheat-news${site % publishers}.example` as Origin,
          },
          'drain',
        ),
        conversion(ad, shop, time),
      );
    }
  }
  return found;
}

/** For each conversion of the log whose last ad before was for the same shop, somebody else who was shown the same ad by the cheat, and converted. */
function forgeries(
  honest: readonly ScenarioEvent[],
  { count }: Extract<Cheating, { readonly kind: 'forgery' }>,
  random: RandomSource,
): readonly (readonly ScenarioEvent[])[] {
  let last: Request | null = null;
  const found: (readonly ScenarioEvent[])[] = [];
  for (const event of honest) {
    if (event.kind !== 'request') continue;
    if (registersSource(event)) last = event;
    else if (last !== null && destinationsOfAd(last).includes(siteOf(event.contextOrigin)))
      for (let forged = 0; forged < count; forged++)
        found.push([claimed(last, Math.max(0, event.time - CLAIMED_BEFORE) as Moment, random, {}), event]);
  }
  return found;
}

/** An ad as the cheat says that it showed it. */
function claimed(ad: Request, time: Moment, random: RandomSource, fields: JsonObject): Request {
  const given = { ...fields, source_event_id: String(random.uint64()) };
  return ofPublisher(
    {
      ...ad,
      time,
      contextOrigin: 'https://cheat.example' as Origin,
      responses: ad.responses.map((response) =>
        withHeader({ ...response, time, randomizedResponse: null }, REGISTER_SOURCE, (json) => ({
          ...json,
          ...given,
        })),
      ),
    },
    'cheat',
  );
}

function conversion(ad: Request, contextOrigin: Origin, time: Moment): Request {
  const [first] = ad.responses;
  const header = JSON.stringify({ event_trigger_data: [{ trigger_data: '0' }] });
  const response = {
    // An ad has a response.
    ...(first as ScenarioResponse),
    time,
    headers: new Map([[REGISTER_TRIGGER.toLowerCase(), header]]),
  };
  return { ...ad, time, contextOrigin, eligibility: 'trigger', responses: [response] };
}

function ofPublisher<Event extends ScenarioEvent>(event: Event, publisher: Publisher): Event {
  if (event.kind !== 'request') return event;
  const responses = event.responses.map((response) =>
    withHeader(response, REGISTER_SOURCE, (json) => ({
      ...json,
      filter_data: { ...(json['filter_data'] as JsonObject | undefined), [PUBLISHER]: [publisher] },
    })),
  );
  return { ...event, responses };
}

const registersSource = ({ responses }: Request): boolean =>
  responses.some(({ headers }) => headers.has(REGISTER_SOURCE.toLowerCase()));

const destinationsOfAd = ({ responses }: Request): readonly string[] =>
  responses.flatMap(({ headers }) => destinationsOf(headers.get(REGISTER_SOURCE.toLowerCase()) ?? ''));

const within = (from: Moment, until: Moment, random: RandomSource): Moment =>
  after(from, milliseconds(Number(uniformBelow(random, BigInt(until - from)))));

/** In order of time. What was added never comes between the responses of one request. */
function merged(events: readonly ScenarioEvent[], added: readonly Request[]): readonly ScenarioEvent[] {
  let last = 0;
  return [...events, ...added]
    .sort((a, b) => a.time - b.time)
    .map((event) => {
      const isLate = event.time < last;
      const shown = isLate && event.kind === 'request' ? at(event, last as Moment) : event;
      last = greatest([last, ...timesOf(shown)]);
      return shown;
    });
}

const at = (event: Request, time: Moment): Request => ({
  ...event,
  time,
  responses: event.responses.map((response) => ({ ...response, time })),
});
