import { siteOfUrl } from '../../../src/model/site';
import { html } from '../../../collector/dashboard/html';
import { arrivedPage } from './arrived-page';
import { campaignById, PURCHASE, sourceEventId, sourceHeader, spinnerView, type Campaign } from './campaigns';
import type { Demo } from './demo';
import { layout } from './layout';
import { liftRegistration } from './recorded';
import { BadRequest, file, redirect, type Reply, type Site, type SiteRequest } from './server';
import { openSourceLog, type SourceLog } from './source-log';

/** Each ad's words and colours, by its address. */
const ads: Readonly<Record<string, readonly [text: string, ground: string, ink: string, width: number]>> = {
  '/ad/tea.svg': ['Steep. Wait. Decide.', '#cfe2d8', '#134548', 300],
  '/ad/click.svg': ['Decision Coin, € 42', '#123d31', '#f0c458', 600],
  '/ad/spinner.svg': ['Yes? No? 37 per cent?', '#23344d', '#f3ead8', 300],
};

/** Flipside Ads: serves the ads with their registrations, and shows which reports have arrived. */
export function adtechSite(demo: Demo): Site {
  const books: Books = { log: openSourceLog(demo), sources: 0n };
  return async (request) => {
    const { method, path } = request;
    if (method !== 'GET') return null;
    if (path === '/') return layout(demo, 'adtech', arrivedPage(demo, await demo.tour.arrived()));
    if (path === '/click') return { status: 204, headers: register(demo, books, request, 'click'), body: '' };
    if (path === '/redirect') {
      const onward = `/ad/spinner.svg?campaign=${spinnerView.id}`;
      return redirect(302, onward, register(demo, books, request, 'view'));
    }
    if (path === '/conversion') return conversion(demo, request);
    return liftRegistration(demo, books.log, request, () => ++books.sources) ?? ad(demo, books, request);
  };
}

interface Books {
  readonly log: SourceLog;
  sources: bigint;
}

/** An ad's picture; with `campaign` in the address, the response also registers a source. */
function ad(demo: Demo, books: Books, request: SiteRequest): Reply | null {
  const [text, ground, ink, width] = ads[request.path] ?? [];
  if (text === undefined) return null;
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width ?? 0} 200">
    <rect width="100%" height="100%" fill="${ground ?? ''}" />
    <g fill="${ink ?? ''}" font-family="Georgia, Liberation Serif, serif" text-anchor="middle">
      <text x="50%" y="52%" font-size="${width === 600 ? 44 : 27}" font-weight="700">${text}</text>
      <text x="50%" y="80%" font-size="16">Heads &amp; Tails</text>
    </g>
  </svg>`;
  const headers = request.query.has('campaign') ? register(demo, books, request, 'view') : {};
  return file('image/svg+xml', picture.markup, headers);
}

/**
 * The header that registers a source for the request's campaign; also enters it in the source log.
 * @throws BadRequest when there is no such campaign.
 */
function register(
  { origins, tour }: Demo,
  books: Books,
  request: SiteRequest,
  kind: 'view' | 'click',
): Readonly<Record<string, string>> {
  const campaign = askedCampaign(request);
  const id = sourceEventId(campaign, ++books.sources);
  // A destination is a site, which has no port.
  const header = sourceHeader(campaign, id, siteOfUrl(origins.shop) ?? origins.shop);
  books.log.add({
    source_event_id: id,
    reporting_origin: origins.adtech,
    source_type: kind === 'click' ? 'navigation' : 'event',
    registration: header,
    campaign: campaign.name,
  });
  tour.happened(kind === 'click' ? 'click' : 'see');
  return { 'Attribution-Reporting-Register-Source': header };
}

function askedCampaign({ query }: SiteRequest): Campaign {
  const campaign = campaignById(query.get('campaign'));
  if (campaign === null) throw new BadRequest('There is no such campaign.');
  return campaign;
}

/** The shop's pixel: a transparent image that registers a trigger. */
function conversion({ tour }: Demo, { query }: SiteRequest): Reply {
  const order = query.get('order') ?? '';
  const total = Number(query.get('total'));
  if (!/^\d{1,18}$/.test(order)) throw new BadRequest('The order has to be a number.');
  if (!Number.isInteger(total) || total < 1 || total > 1_000_000)
    throw new BadRequest('The total has to be in cents, up to a million.');
  const header = JSON.stringify({
    // The key makes reloads of the thank-you page count once.
    event_trigger_data: [{ trigger_data: PURCHASE, deduplication_key: order, value: total }],
  });
  tour.happened('buy');
  const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>';
  return file('image/svg+xml', dot, { 'Attribution-Reporting-Register-Trigger': header });
}
