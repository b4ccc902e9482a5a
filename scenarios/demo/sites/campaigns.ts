/** What an ad is, in the words of the ad server. */
export interface Campaign {
  readonly id: string;
  readonly name: string;
  /** Among the sources that lead to the same shop, the highest priority gets the credit, then the newest. */
  readonly priority: string;
}

const VIEW_PRIORITY = '0';
const CLICK_PRIORITY = '100';

/** Counted when the image loads. */
export const teaView: Campaign = { id: '1001', name: 'Second-Flip Tea, seen', priority: VIEW_PRIORITY };
/** Counted when a person follows the link. */
export const coinClick: Campaign = { id: '2002', name: 'Decision Coin, clicked', priority: CLICK_PRIORITY };
/** Counted by a recording rule only: its markup knows nothing of attribution. */
export const houseAd: Campaign = { id: '3003', name: 'Book of Small Bets, seen', priority: VIEW_PRIORITY };
/** Counted on the way: the image's address answers with a redirect. */
export const spinnerRedirect: Campaign = {
  id: '4004',
  name: 'Spinner, redirected',
  priority: VIEW_PRIORITY,
};
/** Counted where that redirect ends. */
export const spinnerView: Campaign = { id: '4005', name: 'Spinner, seen', priority: VIEW_PRIORITY };

const all = [teaView, coinClick, houseAd, spinnerRedirect, spinnerView];

/** The campaign with this number, or null. */
export const campaignById = (id: string | null): Campaign | null =>
  all.find((campaign) => campaign.id === id) ?? null;

/** How many sources a campaign can have until their ids run into those of the next. */
const SOURCES_PER_CAMPAIGN = 1_000_000n;

/** The id of a campaign's source: the campaign's number, followed by the source's own in six digits. */
export const sourceEventId = ({ id }: Campaign, serial: bigint): string =>
  String(BigInt(id) * SOURCES_PER_CAMPAIGN + (serial % SOURCES_PER_CAMPAIGN));

/** The value of an `Attribution-Reporting-Register-Source` header. */
export const sourceHeader = ({ priority }: Campaign, id: string, destination: string): string =>
  JSON.stringify({ source_event_id: id, destination, priority });

/** What the two conversions of a purchase say. A view has two values to tell apart: it takes these modulo 2. */
export const purchase = {
  byPixel: { triggerData: '2', priority: '10' },
  // Higher, so that of the one report that a view may make, the rule's is the one that stays.
  byRule: { triggerData: '3', priority: '20' },
} as const;
