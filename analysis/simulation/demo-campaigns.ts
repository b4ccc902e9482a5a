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

const campaign = (
  name: string,
  shop: string,
  weight: number,
  days: DemoCampaign['days'],
  [click, view]: readonly [click: number, view: number],
  registrations: Pick<DemoCampaign, 'click' | 'view'>,
): DemoCampaign => ({
  name,
  destination: `https://${shop}.example`,
  weight,
  days,
  converting: { click, view },
  ...registrations,
});

const asUsual = { click: usual, view: usual };
const books = { click: frugal, view: strict };

export const demoCampaigns: readonly DemoCampaign[] = [
  campaign('Spring sale', 'shoes', 26, [0, 30], [290, 40], asUsual),
  campaign('Trail runners', 'shoes', 16, [6, 24], [190, 22], asUsual),
  campaign('City breaks', 'travel', 20, [0, 30], [120, 14], asUsual),
  campaign('Last minute', 'travel', 13, [12, 30], [330, 50], { click: frugal, view: frugal }),
  campaign('Winter reading', 'books', 14, [0, 18], [240, 70], books),
  campaign('Audio books', 'books', 9, [8, 30], [410, 160], books),
  campaign('Seed box', 'garden', 8, [15, 30], [350, 45], asUsual),
  campaign('Raised beds', 'garden', 5, [3, 27], [450, 60], { click: basket, view: usual }),
];
