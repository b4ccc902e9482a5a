import { logistic } from '../estimate/intervals/logistic';
import { seededRandomStreams } from '../random/sources';
import type { ExampleFields, Examples } from './examples';
import { RandomNumbers } from './random-numbers';

/*
 * A made-up log of impressions with a stated truth: docs/lab-results.md has the formula. What users did on other sites (visits, basket) is drawn
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
/** The share of the impressions that convert. */
const CONVERTING = 0.067;
/** Values above this are cut off. */
const MOST_WORTH = 400;

/**
 * What pairs of values add to the log odds. `crossed`: an effect of each pair, and the examples have columns of pairs, so that logistic regression
 * can learn it. `interactions`: the product of two tastes of the campaign and the publisher, and no such columns, so that only a network can.
 */
export type DemoShape = 'crossed' | 'interactions';

/** Tastes of campaigns and publishers. */
const TASTES = 2;
/** The standard deviation of what tastes add to the log odds. */
const TASTE = 2;

export interface DemoLog {
  /** Labels are what conversions are worth, from 1 to 400; 0 without conversion. */
  readonly examples: Examples;
  /** The true probability that each impression converts. */
  readonly truth: Float64Array;
}

const fields: ExampleFields = {
  label: 'value',
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
  readonly price: Float64Array;
  /** The log odds that all impressions share. */
  readonly constant: number;
}

interface Impression {
  readonly user: number;
  readonly publisher: number;
  readonly advertiser: number;
  readonly time: number;
  readonly delay: number;
  readonly buckets: readonly number[];
  /** The logit of the true probability that it converts. */
  readonly logit: number;
  /** What it is worth; 0 if it does not convert. */
  readonly value: number;
}

/**
 * The log of some users, in order of time. The same seed gives the same log, whatever the number of users: each has its own stream.
 * @param users at least 1.
 */
export function demoLog(seed: string, users: number, shape: DemoShape = 'crossed'): DemoLog {
  const streams = seededRandomStreams(seed);
  const world = calibrated(effectsOf(new RandomNumbers(streams(0)), shape), new RandomNumbers(streams(1)));
  const impressions: Impression[] = [];
  for (let user = 0; user < users; user++)
    for (const one of impressionsOf(user, world, new RandomNumbers(streams(user + 2)))) impressions.push(one);
  impressions.sort((a, b) => a.time - b.time || a.user - b.user);
  const log = logOf(impressions);
  return shape === 'crossed' ? log : { ...log, examples: withoutPairs(log.examples) };
}

function effectsOf(random: RandomNumbers, shape: DemoShape): World {
  const effects = (count: number, spread: number): Float64Array =>
    Float64Array.from({ length: count }, () => spread * random.normal());
  const world = {
    campaign: effects(CAMPAIGNS, 0.7),
    publisher: effects(PUBLISHERS, 0.5),
    deviceByCategory: effects(DEVICES * CATEGORIES, 0.4),
    campaignByPublisher: effects(CAMPAIGNS * PUBLISHERS, 0.7),
    price: effects(CAMPAIGNS, 1),
    constant: 0,
  };
  if (shape === 'crossed') return world;
  const [campaigns, publishers] = [effects(CAMPAIGNS * TASTES, 1), effects(PUBLISHERS * TASTES, 1)];
  const product = (campaign: number, publisher: number): number => {
    let sum = 0;
    for (let taste = 0; taste < TASTES; taste++)
      sum += (campaigns[campaign * TASTES + taste] ?? 0) * (publishers[publisher * TASTES + taste] ?? 0);
    return (TASTE * sum) / Math.sqrt(TASTES);
  };
  return {
    ...world,
    campaignByPublisher: world.campaignByPublisher.map((_, pair) =>
      product(Math.floor(pair / PUBLISHERS), pair % PUBLISHERS),
    ),
  };
}

/** Without the columns of pairs of values. */
function withoutPairs(examples: Examples): Examples {
  const all = examples.fields.categories;
  const places = all.flatMap(({ name }, place) => (name.includes('×') ? [] : [place]));
  const categories = new Int32Array(examples.count * places.length);
  for (let row = 0, to = 0; row < examples.count; row++)
    for (const place of places) categories[to++] = examples.categories[row * all.length + place] ?? -1;
  return {
    ...examples,
    fields: { ...examples.fields, categories: places.flatMap((place) => all.slice(place, place + 1)) },
    categories,
  };
}

/** With the constant for which the stated share of a sample converts. */
function calibrated(world: World, random: RandomNumbers): World {
  const sample = Array.from({ length: 4000 }, (_, user) => impressionsOf(user, world, random)[0]?.logit ?? 0);
  const excess = (constant: number): number =>
    sample.reduce((sum, logit) => sum + logistic(constant + logit), 0) - CONVERTING * sample.length;
  let [low, high] = [-20, 20];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) high = middle;
    else low = middle;
  }
  return { ...world, constant: low };
}

function impressionsOf(user: number, world: World, random: RandomNumbers): Impression[] {
  const count = Math.min(MAX_IMPRESSIONS, Math.floor((1 - random.uniform()) ** (-1 / TAIL)));
  const device = random.below(DEVICES);
  const favourites = [publisherBy(random), publisherBy(random)];
  const interests = Float64Array.from({ length: CATEGORIES }, () => random.normal());
  return Array.from({ length: count }, () =>
    impressionOf({ user, device, favourites, interests }, world, random),
  );
}

/** Squaring makes those with small numbers more frequent; so with campaigns. */
const publisherBy = (random: RandomNumbers): number => Math.floor(random.uniform() ** 2 * PUBLISHERS);

interface Person {
  readonly user: number;
  readonly device: number;
  /** Two publishers, which make two of three impressions. */
  readonly favourites: readonly number[];
  /** In each category. */
  readonly interests: Float64Array;
}

function impressionOf(
  { user, device, favourites, interests }: Person,
  world: World,
  random: RandomNumbers,
): Impression {
  const campaign = Math.floor(random.uniform() ** 2 * CAMPAIGNS);
  const publisher = favourites[random.below(3)] ?? publisherBy(random);
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
    world.constant +
    (world.campaign[campaign] ?? 0) +
    (world.publisher[publisher] ?? 0) +
    (world.deviceByCategory[deviceByCategory] ?? 0) +
    (world.campaignByPublisher[campaignByPublisher] ?? 0) -
    0.25 * position +
    0.3 * visits +
    0.5 * basket;
  const converts = random.uniform() < logistic(logit);
  const worth = Math.round(Math.exp(2.5 + (world.price[campaign] ?? 0) + 0.7 * random.normal()));
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
    logit,
    value: converts ? Math.min(MOST_WORTH, Math.max(1, worth)) : 0,
  };
}

function logOf(impressions: readonly Impression[]): DemoLog {
  const ints = (of: (impression: Impression) => number): Int32Array => Int32Array.from(impressions, of);
  const examples: Examples = {
    count: impressions.length,
    fields,
    categories: Int32Array.from(impressions.flatMap(({ buckets }) => buckets)),
    numbers: new Float32Array(),
    labels: Float32Array.from(impressions, ({ value }) => value),
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
    truth: Float64Array.from(impressions, ({ logit }) => logistic(logit)),
  };
}
