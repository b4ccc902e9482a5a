import {
  after,
  days,
  milliseconds,
  minutes,
  moment,
  type Duration,
  type Moment,
} from '../../src/model/units';
import type { Json } from '../../src/model/json';
import { type RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { below, chance, doublings } from './draws';
import { eventLine } from './event-line';
import { seededRandomStreams } from '../random/sources';

/* Makes up logs in which users, delays and campaigns differ by orders of magnitude, as in real ones. */

/** 1 January 2026. */
const START = moment(1_767_225_600_000);
const PERIOD = days(30);
const PUBLISHERS = 200n;
const CAMPAIGNS = 400n;
const ADVERTISERS = 60;
const AD_TECHS = 4;

interface Campaign {
  readonly id: number;
  readonly destination: string;
  readonly adTech: string;
}

interface Event {
  readonly time: Moment;
  readonly line: Json;
}

/** One user's log, in order of time. Only the seed and the number decide it. */
export function generateUser(seed: string, number: number): readonly Json[] {
  const random = seededRandomStreams(seed)(number);
  const user = `user-${String(number).padStart(9, '0')}`;
  const events = Array.from({ length: activity(random) }, () => impression(user, random)).flat();
  return events.sort((a, b) => a.time - b.time).map(({ line }) => line);
}

/**
 * The number of impressions: drawn from a range whose ends both double again and again, each time with probability 2/5. P[more than n]
 * falls like n^(−log₂ 5/2) = n^−1.3: the mean is about eleven, and a few users have thousands.
 */
const activity = (random: RandomSource): number => below(random, 4, doublings(random, 2n, 5n), 2);

/** An impression and its conversions. */
function impression(user: string, random: RandomSource): readonly Event[] {
  const time = after(START, milliseconds(Number(uniformBelow(random, BigInt(PERIOD)))));
  const campaign = chooseCampaign(random);
  const clicked = chance(random, 1n, 5n);
  const source = { time, line: sourceLine(user, time, campaign, clicked, random) };
  const converts = clicked ? chance(random, 3n, 5n) : chance(random, 1n, 10n);
  if (!converts) return [source];
  // Most come within hours, some only after the last report window.
  const delay = below(random, minutes(10), doublings(random, 3n, 5n), minutes(10));
  const converted = after(time, milliseconds(delay));
  return [source, { time: converted, line: triggerLine(user, converted, campaign, random) }];
}

/** The smaller of two draws, so that campaigns with small numbers are large. */
function chooseCampaign(random: RandomSource): Campaign {
  const [one, other] = [uniformBelow(random, CAMPAIGNS), uniformBelow(random, CAMPAIGNS)];
  const id = Number(one < other ? one : other);
  return {
    id,
    destination: `https://shop${id % ADVERTISERS}.example`,
    adTech: `https://ads${id % AD_TECHS}.example`,
  };
}

function sourceLine(
  user: string,
  time: Moment,
  { id, destination, adTech }: Campaign,
  clicked: boolean,
  random: RandomSource,
): Json {
  const header = {
    source_event_id: String(random.uint64()),
    destination,
    priority: clicked ? '100' : '0',
    filter_data: { campaign: [String(id)], format: [clicked ? 'link' : 'banner'] },
    ...(clicked ? {} : { event_report_window: seconds(days(7)) }),
  };
  return eventLine(user, time, {
    context: `https://news${uniformBelow(random, PUBLISHERS)}.example`,
    eligible: clicked ? 'navigation-source' : 'event-source',
    url: `${adTech}/impression`,
    header: { 'Attribution-Reporting-Register-Source': header },
  });
}

function triggerLine(user: string, time: Moment, campaign: Campaign, random: RandomSource): Json {
  const header = {
    event_trigger_data: [
      {
        trigger_data: String(uniformBelow(random, 8n)),
        priority: String(uniformBelow(random, 10n)),
        deduplication_key: String(random.uint64()),
        filters: [{ source_type: ['navigation'] }],
      },
      { trigger_data: '1', filters: [{ source_type: ['event'] }] },
    ],
    // One conversion in eight only counts for its own campaign.
    ...(chance(random, 1n, 8n) ? { filters: { campaign: [String(campaign.id)] } } : {}),
  };
  return eventLine(user, time, {
    context: campaign.destination,
    eligible: 'trigger',
    url: `${campaign.adTech}/conversion`,
    header: { 'Attribution-Reporting-Register-Trigger': header },
  });
}

const seconds = (duration: Duration): number => duration / 1000;
