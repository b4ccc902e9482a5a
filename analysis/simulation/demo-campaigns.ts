import type { LabelNoise } from '../../src/model/mechanisms';
import type { Json } from '../../src/model/json';

/** A registration as the ad side writes it, without the fields that differ between sources. */
type Registration = { readonly [field: string]: Json };

export interface DemoCampaign {
  readonly name: string;
  readonly destination: string;
  /** Its share of all impressions, in proportion to the other weights. */
  readonly weight: number;
  /** The days of the month on which it runs. */
  readonly days: readonly [first: number, last: number];
  /** How many of a thousand clicks, and of a thousand impressions, lead to a conversion. */
  readonly converting: { readonly click: number; readonly view: number };
  readonly click: Registration;
  readonly view: Registration;
}

const DAY_SECONDS = 86_400;

/** ARA's defaults: 2925 outputs for a click, 3 for an impression. */
const usual: Registration = {};

/** One of three kinds of conversion within a week: 4 outputs; one source in fourteen is replaced. */
const frugal: Registration = {
  event_level_epsilon: 4,
  trigger_data: [0, 1, 2],
  max_event_level_reports: 1,
  event_report_window: 7 * DAY_SECONDS,
};

/** Whether a conversion came within two days; more often noise than not. */
const strict: Registration = {
  event_level_epsilon: 1,
  trigger_data: [0],
  max_event_level_reports: 1,
  event_report_window: 2 * DAY_SECONDS,
};

const basketBounds = [20, 50, 120] as const;

/** The amount spent within a week, in steps. */
const basket: Registration = {
  event_level_epsilon: 3,
  max_event_level_reports: basketBounds.length,
  trigger_specs: [
    {
      trigger_data: [0],
      summary_operator: 'value_sum',
      summary_buckets: basketBounds,
      event_report_windows: { end_times: [7 * DAY_SECONDS] },
    },
  ],
};

/** The label noise of sources with exactly these values. */
export const basketNoise = {
  kind: 'unbiased',
  values: [0, ...basketBounds],
  prior: [0.85, 0.06, 0.05, 0.04],
} as const satisfies LabelNoise;

export const isBasket = (registration: Registration): boolean => registration === basket;

export const demoCampaigns: readonly DemoCampaign[] = [
  {
    name: 'Spring sale',
    destination: 'https://shoes.example',
    weight: 26,
    days: [0, 30],
    converting: { click: 290, view: 40 },
    click: usual,
    view: usual,
  },
  {
    name: 'Trail runners',
    destination: 'https://shoes.example',
    weight: 16,
    days: [6, 24],
    converting: { click: 190, view: 22 },
    click: usual,
    view: usual,
  },
  {
    name: 'City breaks',
    destination: 'https://travel.example',
    weight: 20,
    days: [0, 30],
    converting: { click: 120, view: 14 },
    click: usual,
    view: usual,
  },
  {
    name: 'Last minute',
    destination: 'https://travel.example',
    weight: 13,
    days: [12, 30],
    converting: { click: 330, view: 50 },
    click: frugal,
    view: frugal,
  },
  {
    name: 'Winter reading',
    destination: 'https://books.example',
    weight: 14,
    days: [0, 18],
    converting: { click: 240, view: 70 },
    click: frugal,
    view: strict,
  },
  {
    name: 'Audio books',
    destination: 'https://books.example',
    weight: 9,
    days: [8, 30],
    converting: { click: 410, view: 160 },
    click: frugal,
    view: strict,
  },
  {
    name: 'Seed box',
    destination: 'https://garden.example',
    weight: 8,
    days: [15, 30],
    converting: { click: 350, view: 45 },
    click: usual,
    view: usual,
  },
  {
    name: 'Raised beds',
    destination: 'https://garden.example',
    weight: 5,
    days: [3, 27],
    converting: { click: 450, view: 60 },
    click: basket,
    view: usual,
  },
];
