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
const usual: JsonObject = {
  event_level_epsilon: 6,
  max_event_level_reports: 2,
  event_report_window: 7 * DAY,
};

interface Campaign {
  readonly name: string;
  readonly weight: number;
  /** How many of a thousand convert. */
  readonly converting: number;
  readonly click: JsonObject;
  readonly view: JsonObject;
}
const campaigns: readonly Campaign[] = [
  { name: 'large', weight: 60, converting: 300, click: usual, view: usual },
  { name: 'usual', weight: 40, converting: 200, click: usual, view: usual },
  { name: 'silent', weight: 20, converting: 0, click: usual, view: usual },
  { name: 'handful', weight: 2, converting: 200, click: usual, view: usual },
  { name: 'short', weight: 30, converting: 300, click: short, view: short },
  { name: 'mixed', weight: 30, converting: 400, click: basket, view: usual },
  { name: 'baskets', weight: 30, converting: 400, click: basket, view: basket },
];

/** Two impressions each, a day apart, with up to two conversions after each. */
export function campaignLog(people: number, seed: number): readonly Json[] {
  const random = seededRandomSource('campaign truth', seed);
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
      add(time, {
        context: `https://news${person % 3}.example`,
        eligible: clicked ? 'navigation-source' : 'event-source',
        url: 'https://ads.example/impression',
        header: {
          'Attribution-Reporting-Register-Source': {
            ...(clicked ? campaign.click : campaign.view),
            source_event_id: String(random.uint64()),
            destination,
            filter_data: { campaign: [campaign.name], id: [String(lines.length + events.length)] },
          },
        },
      });
      const id = String(lines.length + events.length - 1);
      for (let more = 0; more < 2 && chance(random, BigInt(campaign.converting), 1000n); more++) {
        const delay = minutes(10) + Number(uniformBelow(random, BigInt(days(5))));
        add(time + delay, {
          context: destination,
          eligible: 'trigger',
          url: 'https://ads.example/conversion',
          header: {
            'Attribution-Reporting-Register-Trigger': {
              event_trigger_data: [{ trigger_data: '0', value: 15 + Number(uniformBelow(random, 60n)) }],
              filters: { id: [id] },
            },
          },
        });
      }
    }
    lines.push(...events.sort((a, b) => a.time - b.time).map(({ line }) => line));
  }
  return lines;
}

const valued = { values: [0, ...bounds], prior: [0.7, 0.15, 0.1, 0.05] };
export const campaignSettings: Readonly<Record<string, object>> = {
  'randomized response': {},
  'the unbiased randomizer': { labelNoise: { kind: 'unbiased', ...valued } },
  bins: { labelNoise: { kind: 'rr-on-bins', loss: 'squared', ...valued } },
  'a prior over states': { labelNoise: { kind: 'rr-with-prior', prior: [0.8, 0.2] } },
  'a budget for each user': { budget: { unit: 'user', epsilon: 8, cap: 4 } },
  'a budget for each user and advertiser': { budget: { unit: 'user-advertiser', epsilon: 12, cap: 2 } },
};
