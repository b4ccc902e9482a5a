import type { Arm } from '../../../recording/lift-test';
import type { JsonObject } from '../../../src/model/json';
import { first, type Relation, type Setup } from '../relation';
import { bought, CAMPAIGN, shown, type Impression, type World } from '../world';

/** One campaign, so one destination, for which all units have the same account. */
const ads = (count: number, arm: Arm): readonly Impression[] =>
  Array.from({ length: count }, (_, index) => ({
    ...shown(first.at + 2 * index, 1 + index, `news-${index}`, 'shop'),
    fields: { filter_data: { [CAMPAIGN]: ['spring'] }, ...AS_ARMS },
    arm,
  }));

/** Reports say the arm by their data. */
const AS_ARMS = { trigger_data: [0, 1], max_event_level_reports: 1 };

const byArm = {
  event_trigger_data: [
    { trigger_data: '0', filters: { arm: ['exposed'] } },
    { trigger_data: '1', filters: { arm: ['holdout'] } },
  ],
};

/** A conversion after each ad, as the newest ad gets the credit. */
const world = (count: number, arm: Arm, fields: JsonObject = byArm): World =>
  ads(count, arm).flatMap((ad) => [ad, bought(ad.at + 1, 'shop', { fields })]);

const isCharged = ({ settings: { budget, aggregatableReports } }: Setup): boolean =>
  budget.epsilon !== null &&
  (budget.unit === 'user' || budget.unit === 'user-advertiser') &&
  !aggregatableReports;

/** As lift tests are allowed: with a budget of which each ad takes a part, so that all of them together tell no more of the arm. */
const armsOf =
  (count: number, fields?: JsonObject): Relation['neighbours'] =>
  (setup) =>
    isCharged(setup)
      ? {
          worlds: [world(count, 'exposed', fields), world(count, 'holdout', fields)],
          promise: setup.labels(count),
        }
      : null;

export const armsOfCampaigns: readonly Relation[] = [
  {
    id: 'arm-of-campaign',
    differs: 'the arm that the device drew for a campaign with one ad and its conversion',
    onRequest: true,
    neighbours: armsOf(1),
  },
  {
    id: 'arm-of-campaign-of-two-ads',
    differs: 'the arm that the device drew for a campaign with two ads and their conversions',
    onRequest: true,
    neighbours: armsOf(2),
  },
  {
    id: 'arm-of-campaign-of-three-ads',
    differs: 'the arm that the device drew for a campaign, if a page registers three ads to learn it',
    onRequest: true,
    neighbours: armsOf(3),
  },
  {
    id: 'arm-that-drops-conversions',
    differs: 'the arm that the device drew for a campaign, if conversions count in one arm only',
    onRequest: true,
    neighbours: armsOf(2, { filters: { arm: ['exposed'] } }),
  },
];
