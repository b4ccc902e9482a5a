import type { JsonObject } from '../../../src/model/json';

/** An ad campaign in the ad server. */
export interface Campaign {
  readonly id: string;
  readonly name: string;
  /** Among the sources that lead to the same shop, the highest priority gets the credit, then the newest. */
  readonly priority: string;
  /** More of the registration, if it is not the usual one. */
  readonly more?: JsonObject;
}

const VIEW_PRIORITY = '0';
const CLICK_PRIORITY = '100';

/** Registered when the image loads. Its noise strikes, at ε = 1 and with 9 outputs. */
export const teaView: Campaign = {
  id: '1001',
  name: 'Second-Flip Tea, seen',
  priority: VIEW_PRIORITY,
  more: {
    event_level_epsilon: 1,
    trigger_data: [0, 1, 2, 3, 4, 5, 6, 7],
    max_event_level_reports: 1,
    event_report_window: 172_800,
  },
};
/** Registered when a person follows the link. */
export const coinClick: Campaign = { id: '2002', name: 'Decision Coin, clicked', priority: CLICK_PRIORITY };
/** Registered only by a recording rule: its markup has no attribution. */
export const houseAd: Campaign = { id: '3003', name: 'Book of Small Bets, seen', priority: VIEW_PRIORITY };
/** Registered on the way: the image's address redirects. */
export const spinnerRedirect: Campaign = {
  id: '4004',
  name: 'Spinner, redirected',
  priority: VIEW_PRIORITY,
};
/** Registered where that redirect ends. */
export const spinnerView: Campaign = { id: '4005', name: 'Spinner, seen', priority: VIEW_PRIORITY };

const all = [teaView, coinClick, houseAd, spinnerRedirect, spinnerView];

export const campaignById = (id: string | null): Campaign | null =>
  all.find((campaign) => campaign.id === id) ?? null;

/** The campaign of a source; the house ad's sources have its number only. */
export const campaignOf = (eventId: string): Campaign | null => campaignById(eventId.slice(0, 4));

/** With more sources than this, a campaign's ids would overlap the next campaign's. */
const SOURCES_PER_CAMPAIGN = 1_000_000n;

/** The campaign's number, followed by the source's own in six digits. */
export const sourceEventId = ({ id }: Campaign, serial: bigint): string =>
  String(BigInt(id) * SOURCES_PER_CAMPAIGN + (serial % SOURCES_PER_CAMPAIGN));

/** The value of an `Attribution-Reporting-Register-Source` header. */
export const sourceHeader = ({ priority, more }: Campaign, id: string, destination: string): string =>
  JSON.stringify({ source_event_id: id, destination, priority, ...more });

/** The trigger data of a purchase. A view distinguishes only two values, and takes them modulo 2. */
export const PURCHASE = '2';
