import type { Json } from '../../src/model/json';
import type { Settings } from '../../formats/settings/settings';
import {
  after,
  days,
  hours,
  milliseconds,
  minutes,
  moment,
  seconds,
  type Duration,
  type Moment,
} from '../../src/model/units';
import { type RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import type { SourceToLog } from '../../formats/sources/source-row';
import { replaySettings } from '../scenario/scenario';
import { basketNoise, demoCampaigns, isBasket, type DemoCampaign } from './demo-campaigns';
import { below, chance, doublings, weighted } from './draws';
import { eventLine } from './event-line';
import { seededRandomStreams } from '../random/sources';

/*
 * A month of eight campaigns of one ad server, with its source log. It is small enough to be made while you wait. Its noise ranges from
 * almost none to more than the signal.
 */

/** The settings of the month's browsers. */
export const demoSettings: Settings = { ...replaySettings, labelNoise: basketNoise };

/** 1 January 2026, a Thursday. */
const START = moment(1_767_225_600_000);
const AD_SERVER = 'https://ads.example';

const publishers = [
  { site: 'https://news.example', weight: 9 },
  { site: 'https://weather.example', weight: 5 },
  { site: 'https://recipes.example', weight: 4 },
  { site: 'https://films.example', weight: 2 },
] as const;

const formats = [
  { name: 'banner', weight: 6 },
  { name: 'native', weight: 3 },
  { name: 'video', weight: 1 },
] as const;

const devices = [
  { name: 'phone', weight: 5 },
  { name: 'desktop', weight: 3 },
  { name: 'tablet', weight: 1 },
] as const;

/** Relative number of impressions in each hour of a day. */
const byHour = [3, 2, 1, 1, 1, 2, 4, 7, 9, 9, 9, 10, 11, 10, 9, 9, 10, 11, 13, 15, 16, 14, 10, 6].map(
  (weight, hour) => ({ hour, weight }),
);

/** The weights of the kinds of conversion, trigger data 0 to 7. */
const kinds = [60, 22, 8, 4, 2, 2, 1, 1].map((weight, data) => ({ data, weight }));

/** What a conversion adds to its buckets, so that the contribution budget of a source has room for two. */
export const CONVERSION_COUNTS = 16_384;
const SPENT_COUNTS = 64;
const MOST_SPENT = 256;

/** Limits the time that any one user takes. */
const MOST_IMPRESSIONS = 60;

export interface DemoUser {
  readonly user: string;
  /** In order of time, as lines of a log for `simulate`. */
  readonly lines: readonly Json[];
  readonly sources: readonly LoggedImpression[];
}

type LoggedImpression = SourceToLog & { readonly features: { readonly campaign: string } };

interface Event {
  readonly time: Moment;
  readonly line: Json;
}

interface Impression {
  readonly time: Moment;
  readonly campaign: DemoCampaign;
  readonly clicked: boolean;
  readonly publisher: string;
  readonly id: bigint;
}

/** What one user did. Only the seed and the number decide it. */
export function demoUser(seed: string, number: number): DemoUser {
  const random = seededRandomStreams(seed)(number);
  const user = `user-${String(number).padStart(6, '0')}`;
  const events: Event[] = [];
  const sources: LoggedImpression[] = [];
  const impressions = Math.min(MOST_IMPRESSIONS, below(random, 3, doublings(random, 2n, 5n), 1));
  for (let count = 0; count < impressions; count++) {
    const impression = drawImpression(random);
    events.push(sourceEvent(user, impression));
    // One in four hundred rows is missing from the log.
    if (!chance(random, 1n, 400n)) sources.push(logged(impression, random));
    events.push(...conversion(user, impression, random));
  }
  return { user, lines: events.sort((a, b) => a.time - b.time).map(({ line }) => line), sources };
}

function drawImpression(random: RandomSource): Impression {
  const campaign = weighted(random, demoCampaigns);
  const [first, last] = campaign.days;
  const day = first + Number(uniformBelow(random, BigInt(last - first)));
  const { hour } = weighted(random, byHour);
  const within = milliseconds(Number(uniformBelow(random, BigInt(hours(1)))));
  return {
    time: after(after(after(START, days(day)), hours(hour)), within),
    campaign,
    clicked: chance(random, 2n, 5n),
    publisher: weighted(random, publishers).site,
    id: random.uint64(),
  };
}

const demoRegistration = ({ campaign, clicked }: Impression): DemoCampaign['click'] =>
  clicked ? campaign.click : campaign.view;

function sourceEvent(user: string, impression: Impression): Event {
  const { time, campaign, clicked, publisher, id } = impression;
  const header = {
    source_event_id: String(id),
    destination: campaign.destination,
    priority: clicked ? '100' : '0',
    filter_data: { campaign: [campaign.name] },
    aggregation_keys: aggregationKeys(campaign),
    ...demoRegistration(impression),
  };
  const line = eventLine(user, time, {
    context: publisher,
    eligible: clicked ? 'navigation-source' : 'event-source',
    url: `${AD_SERVER}/impression`,
    header: { 'Attribution-Reporting-Register-Source': header },
  });
  return { time, line };
}

/** The buckets of conversions: 0x1 and up. */
export const campaignOfBucket: ReadonlyMap<bigint, string> = new Map(
  demoCampaigns.map(({ name }, index) => [BigInt(index + 1), name]),
);

/** Bucket 0x1 and up for the conversions of each campaign, 0x101 and up for what was spent. */
function aggregationKeys(campaign: DemoCampaign): Json {
  const number = demoCampaigns.indexOf(campaign) + 1;
  return { conversions: `0x${number.toString(16)}`, spent: `0x${(0x100 + number).toString(16)}` };
}

function logged(impression: Impression, random: RandomSource): LoggedImpression {
  const { time, campaign, clicked, publisher, id } = impression;
  const registration = demoRegistration(impression);
  return {
    sourceEventId: id,
    reportingOrigin: AD_SERVER,
    destination: campaign.destination,
    sourceType: clicked ? 'navigation' : 'event',
    time,
    registration,
    ...(isBasket(registration) ? { mechanism: basketNoise } : {}),
    features: {
      campaign: campaign.name,
      publisher,
      format: weighted(random, formats).name,
      device: weighted(random, devices).name,
    },
  };
}

/** None, or one that the impression's campaign caused. */
function conversion(user: string, impression: Impression, random: RandomSource): readonly Event[] {
  const { campaign, clicked } = impression;
  const { click, view } = campaign.converting;
  if (!chance(random, BigInt(clicked ? click : view), 1000n)) return [];
  // Most come within hours, some only after the last report window.
  const delay = below(random, minutes(10), doublings(random, 3n, 5n), minutes(10));
  const time = after(impression.time, milliseconds(delay));
  const { data } = weighted(random, kinds);
  const value = below(random, 40, doublings(random, 1n, 3n), 10);
  const header = {
    event_trigger_data: [{ trigger_data: String(data), value }],
    aggregatable_trigger_data: [{ key_piece: '0x0', source_keys: ['conversions', 'spent'] }],
    aggregatable_values: {
      conversions: CONVERSION_COUNTS,
      spent: SPENT_COUNTS * Math.min(value, MOST_SPENT),
    },
    filters: { campaign: [campaign.name] },
  };
  const line = eventLine(user, time, {
    context: campaign.destination,
    eligible: 'trigger',
    url: `${AD_SERVER}/conversion`,
    header: { 'Attribution-Reporting-Register-Trigger': header },
  });
  return [{ time, line }];
}

/**
 * The time from a report's due time to its arrival. A running browser sends it within a minute, others when they next start.
 * @param random the report's own.
 */
export function arrivalDelay(random: RandomSource): Duration {
  if (chance(random, 7n, 10n)) return milliseconds(Number(uniformBelow(random, BigInt(minutes(1)))));
  return seconds(below(random, 600, doublings(random, 3n, 5n), 60));
}
