import { seededRandomStreams } from '../../src/privacy/random-source';
import type { ExampleFields, Examples } from './examples';
import { RandomNumbers } from './random-numbers';

/*
 * A made-up log of impressions with a stated truth: docs/lab.md has the formula. What users did on other sites (visits, basket) is drawn
 * before the impression, so it does not leak the label.
 */

const DAY = 86_400_000;
const DAYS = 30;
const CAMPAIGNS = 40;
const ADVERTISERS = 20;
const CATEGORIES = 8;
const PUBLISHERS = 60;
const DEVICES = 3;
const POSITIONS = 4;
const MAX_IMPRESSIONS = 100;
/** The exponent of the number of impressions of a user: P[more than n] = n^−1.3. */
const TAIL = 1.3;
/** Chosen so that 6.7 % of the impressions convert. */
const INTERCEPT = -3.35;

export interface DemoLog {
  readonly examples: Examples;
  /** The true probability that each impression converts. */
  readonly truth: Float64Array;
  /** What each conversion is worth, at most 400; 0 without conversion. */
  readonly values: Float32Array;
}

const fields: ExampleFields = {
  label: 'conversion',
  categories: [
    { name: 'campaign', role: 'known', buckets: CAMPAIGNS },
    { name: 'publisher', role: 'known', buckets: PUBLISHERS },
    { name: 'device', role: 'known', buckets: DEVICES },
    { name: 'position', role: 'known', buckets: POSITIONS },
    { name: 'hour', role: 'known', buckets: 24 },
    { name: 'device×category', role: 'known', buckets: DEVICES * CATEGORIES },
    { name: 'campaign×publisher', role: 'known', buckets: CAMPAIGNS * PUBLISHERS },
    { name: 'visits', role: 'sensitive', buckets: 4 },
    { name: 'basket', role: 'sensitive', buckets: 3 },
  ],
  numbers: [],
};

/** The part of the truth that all users share. */
interface World {
  readonly campaign: Float64Array;
  readonly publisher: Float64Array;
  readonly deviceByCategory: Float64Array;
  readonly campaignByPublisher: Float64Array;
}

interface Impression {
  readonly user: number;
  readonly publisher: number;
  readonly advertiser: number;
  readonly time: number;
  readonly delay: number;
  readonly buckets: readonly number[];
  readonly truth: number;
  readonly value: number;
}

/**
 * The log of some users, in order of time. The same seed gives the same log, whatever the number of users: each has its own stream.
 * @param users at least 1.
 */
export function demoLog(seed: string, users: number): DemoLog {
  const streams = seededRandomStreams(seed);
  const world = worldOf(new RandomNumbers(streams(0)));
  const impressions: Impression[] = [];
  for (let user = 0; user < users; user++)
    impressions.push(...impressionsOf(user, world, new RandomNumbers(streams(user + 1))));
  impressions.sort((a, b) => a.time - b.time || a.user - b.user);
  return logOf(impressions);
}

function worldOf(random: RandomNumbers): World {
  const effects = (count: number, spread: number): Float64Array =>
    Float64Array.from({ length: count }, () => spread * random.normal());
  return {
    campaign: effects(CAMPAIGNS, 0.7),
    publisher: effects(PUBLISHERS, 0.5),
    deviceByCategory: effects(DEVICES * CATEGORIES, 0.4),
    campaignByPublisher: effects(CAMPAIGNS * PUBLISHERS, 0.3),
  };
}

function impressionsOf(user: number, world: World, random: RandomNumbers): Impression[] {
  const count = Math.min(MAX_IMPRESSIONS, Math.floor((1 - random.uniform()) ** (-1 / TAIL)));
  const device = random.below(DEVICES);
  const interests = Float64Array.from({ length: CATEGORIES }, () => random.normal());
  return Array.from({ length: count }, () => impressionOf(user, device, interests, world, random));
}

function impressionOf(
  user: number,
  device: number,
  interests: Float64Array,
  world: World,
  random: RandomNumbers,
): Impression {
  // Squaring makes campaigns and publishers with small numbers more frequent.
  const campaign = Math.floor(random.uniform() ** 2 * CAMPAIGNS);
  const publisher = Math.floor(random.uniform() ** 2 * PUBLISHERS);
  const category = campaign % CATEGORIES;
  const position = random.below(POSITIONS);
  const time = Math.floor(random.uniform() * DAYS * DAY);
  const hour = Math.floor(time / (DAY / 24)) % 24;
  const affinity = 0.8 * (interests[category] ?? 0) + 0.6 * random.normal();
  const visits = Math.min(3, Math.max(0, Math.floor(affinity + 1)));
  const basket = Math.min(2, Math.max(0, Math.floor(affinity + 0.5 * random.normal())));
  const deviceByCategory = device * CATEGORIES + category;
  const campaignByPublisher = campaign * PUBLISHERS + publisher;
  const logit =
    INTERCEPT +
    (world.campaign[campaign] ?? 0) +
    (world.publisher[publisher] ?? 0) +
    (world.deviceByCategory[deviceByCategory] ?? 0) +
    (world.campaignByPublisher[campaignByPublisher] ?? 0) -
    0.25 * position +
    0.3 * visits +
    0.5 * basket;
  const truth = 1 / (1 + Math.exp(-logit));
  const converts = random.uniform() < truth;
  const worth = Math.round(Math.exp(3 + 0.5 * (world.campaign[campaign] ?? 0) + random.normal()));
  const delay = Math.floor(-DAY * Math.log(1 - random.uniform()));
  return {
    user,
    publisher,
    advertiser: campaign % ADVERTISERS,
    time,
    delay: converts ? delay : 0,
    buckets: [
      campaign,
      publisher,
      device,
      position,
      hour,
      deviceByCategory,
      campaignByPublisher,
      visits,
      basket,
    ],
    truth,
    value: converts ? Math.min(400, Math.max(1, worth)) : 0,
  };
}

function logOf(impressions: readonly Impression[]): DemoLog {
  const ints = (of: (impression: Impression) => number): Int32Array => Int32Array.from(impressions, of);
  const examples: Examples = {
    count: impressions.length,
    fields,
    categories: Int32Array.from(impressions.flatMap(({ buckets }) => buckets)),
    numbers: new Float32Array(),
    labels: Float32Array.from(impressions, ({ value }) => (value > 0 ? 1 : 0)),
    times: Float64Array.from(impressions, ({ time }) => time),
    delays: Float64Array.from(impressions, ({ delay }) => delay),
    units: {
      user: ints(({ user }) => user),
      publisher: ints(({ publisher }) => publisher),
      advertiser: ints(({ advertiser }) => advertiser),
    },
  };
  return {
    examples,
    truth: Float64Array.from(impressions, ({ truth }) => truth),
    values: Float32Array.from(impressions, ({ value }) => value),
  };
}
