import { seededRandomSource } from '../../../analysis/random/sources';
import { chance, weighted } from '../../../analysis/simulation/draws';
import { eventLine } from '../../../analysis/simulation/event-line';
import type { Json, JsonObject } from '../../../src/model/json';
import { days, hours, minutes, moment } from '../../../src/model/units';
import { uniformBelow } from '../../../src/privacy/uniform';

/* People, their ads and conversions, of campaigns that are counted in all ways. */

const DAY = 86_400;
const START = 1_767_225_600_000;
const bounds = [20, 50, 120] as const;
/** What a conversion adds to the bucket of its campaign in a summary report. */
export const CONVERSION_UNIT = 16_384;

const basket: JsonObject = {
  event_level_epsilon: 3,
  max_event_level_reports: bounds.length,
  trigger_specs: [
    {
      trigger_data: [0],
      summary_operator: 'value_sum',
      summary_buckets: bounds,
      event_report_windows: { end_times: [7 * DAY] },
    },
  ],
};
const short: JsonObject = {
  event_level_epsilon: 2,
  trigger_data: [0],
  max_event_level_reports: 1,
  event_report_window: 2 * DAY,
};
const usual: JsonObject = { event_level_epsilon: 6, max_event_level_reports: 2 };

/** The report windows of most sources, all in the first week. */
const windowsOf = {
  'one window': { event_report_window: 7 * DAY },
  'two windows': { event_report_windows: { end_times: [2 * DAY, 7 * DAY] } },
} as const;
export type Windows = keyof typeof windowsOf;

interface Campaign {
  readonly name: string;
  readonly weight: number;
  /** How many of a thousand convert. */
  readonly converting: number;
  readonly click: JsonObject;
  readonly view: JsonObject;
}
const campaignsWith = (windows: Windows): readonly Campaign[] => {
  const most = { ...usual, ...windowsOf[windows] };
  return [
    { name: 'large', weight: 60, converting: 300, click: most, view: most },
    { name: 'usual', weight: 40, converting: 200, click: most, view: most },
    { name: 'silent', weight: 20, converting: 0, click: most, view: most },
    { name: 'handful', weight: 2, converting: 200, click: most, view: most },
    { name: 'short', weight: 30, converting: 300, click: short, view: short },
    { name: 'mixed', weight: 30, converting: 400, click: basket, view: most },
    { name: 'baskets', weight: 30, converting: 400, click: basket, view: basket },
  ];
};
export const campaignNames = campaignsWith('one window').map(({ name }) => name);

/** Whether sources report the buckets that the sum of their values reached, or a value. */
export const isBasket = (campaign: string, type: string): boolean =>
  campaign === 'baskets' || (campaign === 'mixed' && type === 'navigation');

interface CampaignLog {
  readonly lines: readonly Json[];
  /** How many conversions followed each source, by its source_event_id. */
  readonly conversions: ReadonlyMap<string, number>;
}

/** Two impressions each, a day apart, with up to two conversions after each. */
export function campaignLog(people: number, seed: number, windows: Windows): CampaignLog {
  const random = seededRandomSource('campaign truth', seed);
  const campaigns = campaignsWith(windows);
  const conversions = new Map<string, number>();
  const lines: Json[] = [];
  for (let person = 0; person < people; person++) {
    const user = `user-${String(person).padStart(6, '0')}`;
    const events: { readonly time: number; readonly line: Json }[] = [];
    const add = (time: number, request: Parameters<typeof eventLine>[2]): void => {
      events.push({ time, line: eventLine(user, moment(time), request) });
    };
    for (const day of [0, 10]) {
      const campaign = weighted(random, campaigns);
      const clicked = chance(random, 1n, 2n);
      const time = START + day * days(1) + Number(uniformBelow(random, BigInt(hours(20))));
      const destination = 'https://shop.example';
      const sourceEventId = String(random.uint64());
      add(time, {
        context: `https://news${person % 3}.example`,
        eligible: clicked ? 'navigation-source' : 'event-source',
        url: 'https://ads.example/impression',
        header: {
          'Attribution-Reporting-Register-Source': {
            ...(clicked ? campaign.click : campaign.view),
            source_event_id: sourceEventId,
            destination,
            aggregation_keys: { conversions: bucketOf(campaign.name) },
            filter_data: { campaign: [campaign.name], id: [String(lines.length + events.length)] },
          },
        },
      });
      const id = String(lines.length + events.length - 1);
      for (let more = 0; more < 2 && chance(random, BigInt(campaign.converting), 1000n); more++) {
        conversions.set(sourceEventId, more + 1);
        const delay = minutes(10) + Number(uniformBelow(random, BigInt(days(5))));
        add(time + delay, {
          context: destination,
          eligible: 'trigger',
          url: 'https://ads.example/conversion',
          header: {
            'Attribution-Reporting-Register-Trigger': {
              event_trigger_data: [{ trigger_data: '0', value: 15 + Number(uniformBelow(random, 60n)) }],
              aggregatable_trigger_data: [{ key_piece: '0x0', source_keys: ['conversions'] }],
              aggregatable_values: { conversions: CONVERSION_UNIT },
              filters: { id: [id] },
            },
          },
        });
      }
    }
    lines.push(...events.sort((a, b) => a.time - b.time).map(({ line }) => line));
  }
  return { lines, conversions };
}

/** The bucket of a campaign in a summary report. */
export const bucketOf = (campaign: string): string =>
  `0x${(campaignNames.indexOf(campaign) + 1).toString(16)}`;

const valued = { values: [0, ...bounds], prior: [0.7, 0.15, 0.1, 0.05] };
const mechanisms = {
  'randomized response': {},
  'the unbiased randomizer': { labelNoise: { kind: 'unbiased', ...valued } },
  bins: { labelNoise: { kind: 'rr-on-bins', loss: 'squared', ...valued } },
  'a prior over states': { labelNoise: { kind: 'rr-with-prior', prior: [0.8, 0.2] } },
} as const;
const units = ['user', 'user-publisher', 'user-advertiser'] as const;
/** The first has room for all sources, and lowers the ε of some; the second has room for one of each unit. */
const sizes = {
  'a large budget': { epsilon: 8, cap: 2 },
  'a small budget': { epsilon: 1.5, cap: 1 },
} as const;

export interface CampaignSetting {
  readonly mechanism: keyof typeof mechanisms;
  readonly windows: Windows;
  readonly unit: (typeof units)[number] | null;
  readonly size: keyof typeof sizes | null;
  /** For `simulate`. */
  readonly settings: object;
}

const namesOf = <Name extends string>(of: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(of) as Name[]; // the types have no others

/** Each mechanism with each kind of windows, without a budget and with each budget of each unit. */
export const campaignMatrix: readonly CampaignSetting[] = namesOf(mechanisms).flatMap((mechanism) =>
  namesOf(windowsOf).flatMap((windows) => [
    { mechanism, windows, unit: null, size: null, settings: mechanisms[mechanism] },
    ...units.flatMap((unit) =>
      namesOf(sizes).map((size) => ({
        ...{ mechanism, windows, unit, size },
        settings: { ...mechanisms[mechanism], budget: { unit, ...sizes[size] } },
      })),
    ),
  ]),
);

/** One whose sources report states, in one window and without a budget, and one whose sources report values, in two windows and with a small budget. */
export const campaignSample: readonly CampaignSetting[] = campaignMatrix.filter(
  ({ mechanism, windows, unit, size }) =>
    mechanism === 'randomized response'
      ? windows === 'one window' && unit === null
      : mechanism === 'the unbiased randomizer' &&
        windows === 'two windows' &&
        unit === 'user' &&
        size === 'a small budget',
);
