import { armOf, type Arm, type LiftTestSettings } from '../../recording/lift-test';
import { periodOf } from '../../src/limits/joint-budget';
import type { BudgetSettings } from '../../src/model/mechanisms';
import type { Json, JsonObject } from '../../src/model/json';
import { siteOf } from '../../src/model/site';
import { after, days, milliseconds, minutes, moment, type Moment, type Origin } from '../../src/model/units';
import { type RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { lotsOf, seededRandomStreams, seededSecret } from '../random/sources';
import { below, chance, doublings } from './draws';
import { eventLine } from './event-line';

/*
 * A lift test of one campaign, with a known lift. Chance puts each person into an arm before the first ad. Where a person of the holdout arm
 * would have seen an ad, another one is shown and the same source is registered: a ghost ad (Johnson, Lewis & Nubbemeyer 2017).
 */

/** Shares are from 0 to 1, and exact to a millionth. */
export interface LiftTestPlan {
  /** How many more convert because of the ads, as a share of `rate`; at least −1. */
  readonly lift: number;
  /** The share of the people who are held out. */
  readonly holdout: number;
  /** The share of the people who convert without the ads. */
  readonly rate: number;
}

/** The settings with which devices draw the arms. */
export interface DrawnByDevices {
  readonly liftTest: LiftTestSettings;
  readonly budget: Pick<BudgetSettings, 'period'>;
}

/** 1 January 2026. */
const START = moment(1_767_225_600_000);
const PERIOD = days(30);
const AD_SERVER = 'https://ads.example' as Origin;
const ADVERTISER = 'https://shop.example' as Origin;
/** If devices draw the arms. */
const CAMPAIGN = 'made-up';
const PUBLISHERS = 20n;
const MILLION = 1_000_000;

/** Limits the time that any one user takes. */
const MOST_IMPRESSIONS = 60;

/** What a conversion adds to its bucket: all that a source may contribute. */
const CONVERSION_COUNTS = 65_536;

/** The buckets of summary reports. */
const bucketOf: Readonly<Record<Arm, string>> = { exposed: '0x1', holdout: '0x2' };

/** With more, more people would convert than there are. */
export const mostLift = ({ rate }: Pick<LiftTestPlan, 'rate'>): number => 1 / rate - 1;

/** Devices draw an arm for each period of the budget; null: the test lies in one. Otherwise, when the second begins. */
export function redrawnDuring(budget: Pick<BudgetSettings, 'period'>): Moment | null {
  const next = after(periodOf(budget, START), days(budget.period));
  return next < after(START, PERIOD) ? next : null;
}

/**
 * One person's log, in order of time. Only the plan, the seed and the number decide it.
 * @param devices if devices draw the arms: the person does what the arm says that `simulate` draws with the same seed
 */
export function liftTestUser(
  plan: LiftTestPlan,
  seed: string,
  number: number,
  devices: DrawnByDevices | null = null,
): readonly Json[] {
  const random = seededRandomStreams(seed)(number);
  const user = `user-${String(number).padStart(9, '0')}`;
  const drawn = share(random, plan.holdout) ? 'holdout' : 'exposed';
  const arm = devices === null ? drawn : armOfDevice(devices, seed, user);
  const lines = devices === null ? linesWithArm(arm) : linesWithoutArm(devices.liftTest.campaign);
  const impressions = Math.min(MOST_IMPRESSIONS, below(random, 3, doublings(random, 2n, 5n), 1));
  const times = Array.from({ length: impressions }, () =>
    after(START, milliseconds(Number(uniformBelow(random, BigInt(PERIOD))))),
  ).sort((a, b) => a - b);
  const sources = times.map((time) => ({ time, line: sourceLine(user, time, lines.source, random) }));
  const converts = share(random, plan.rate * (arm === 'holdout' ? 1 : 1 + plan.lift));
  const [first] = times;
  if (!converts || first === undefined) return sources.map(({ line }) => line);
  const converted = after(first, milliseconds(below(random, minutes(10), doublings(random, 3n, 5n), 1)));
  const conversion = { time: converted, line: triggerLine(user, converted, lines.trigger) };
  return [...sources, conversion].sort((a, b) => a.time - b.time).map(({ line }) => line);
}

/** As `simulate` draws it for this user. */
function armOfDevice({ liftTest, budget }: DrawnByDevices, seed: string, user: string): Arm {
  const campaign = { reportingSite: siteOf(AD_SERVER), destination: siteOf(ADVERTISER), name: CAMPAIGN };
  const lots = lotsOf(seededSecret(seededRandomStreams(JSON.stringify([seed, user]))));
  return armOf(liftTest, budget, campaign, START, lots);
}

const share = (random: RandomSource, of: number): boolean =>
  chance(random, BigInt(Math.round(of * MILLION)), BigInt(MILLION));

/** What the headers of a test have besides what all sources and triggers have. */
interface Lines {
  readonly source: JsonObject;
  readonly trigger: JsonObject;
}

/** The same in both arms but for the name of the arm and its bucket. Triggers name no arm: the advertiser does not know it. */
const linesWithArm = (arm: Arm): Lines => ({
  source: {
    filter_data: { arm: [arm] },
    aggregation_keys: { conversions: bucketOf[arm] },
    trigger_data: [0],
  },
  trigger: {
    event_trigger_data: [{ trigger_data: '0' }],
    aggregatable_trigger_data: [{ key_piece: '0x0', source_keys: ['conversions'] }],
    aggregatable_values: { conversions: CONVERSION_COUNTS },
  },
});

/** Nobody but the device knows the arm. Triggers choose their data by it, and leave out sources without one (docs/lift.md). */
const linesWithoutArm = (campaign: string): Lines => ({
  source: {
    filter_data: { [campaign]: [CAMPAIGN] },
    priority: '1',
    trigger_data: [0, 1],
    trigger_data_matching: 'exact',
  },
  trigger: {
    event_trigger_data: [
      { trigger_data: '2', filters: { arm: ['none'] } },
      { trigger_data: '0', filters: { arm: ['exposed'] } },
      { trigger_data: '1', filters: { arm: ['holdout'] } },
    ],
  },
});

/** It reports whether there was a conversion within 30 days. */
function sourceLine(user: string, time: Moment, more: JsonObject, random: RandomSource): Json {
  const header = {
    source_event_id: String(random.uint64()),
    destination: ADVERTISER,
    max_event_level_reports: 1,
    ...more,
  };
  return eventLine(user, time, {
    context: `https://news${uniformBelow(random, PUBLISHERS)}.example`,
    eligible: 'event-source',
    url: `${AD_SERVER}/impression`,
    header: { 'Attribution-Reporting-Register-Source': header },
  });
}

const triggerLine = (user: string, time: Moment, header: JsonObject): Json =>
  eventLine(user, time, {
    context: ADVERTISER,
    eligible: 'trigger',
    url: `${AD_SERVER}/conversion`,
    header: { 'Attribution-Reporting-Register-Trigger': header },
  });
