import { adPictures } from './ad-pictures';
import { campaignById, purchase, sourceEventId, sourceHeader, spinnerView, type Campaign } from './campaigns';
import type { Demo } from './demo';
import { frame, sharedFile } from './frame';
import { html } from '../../../collector/dashboard/html';
import { ledgerPage, openLedger, type Ledger } from './ledger';
import { toldPage } from './told-page';
import { openSourceLog, type SourceLog } from './source-log';
import { BadRequest, page, redirect, svg, type Reply, type Site, type SiteRequest } from './server';

/** Flipside Ads: serves the ads with their registrations, and lists the registrations it offered. */
export function adtechSite(demo: Demo): Site {
  const books: Books = { ledger: openLedger(), log: openSourceLog(demo), sources: 0n };
  const { ledger } = books;
  return async (request) => {
    const { method, path } = request;
    if (method !== 'GET') return null;
    if (path === '/') return page(frame(demo, 'adtech', ledgerPage(demo, ledger.entries())));
    if (path === '/told') return page(frame(demo, 'adtech', toldPage(demo, await demo.tour.told())));
    if (path === '/click') return { status: 204, headers: register(demo, books, request, 'click'), body: '' };
    if (path === '/redirect') {
      const onward = `/ad/redirect.svg?campaign=${spinnerView.id}`;
      return redirect(302, onward, register(demo, books, request, 'view'));
    }
    if (path === '/conversion') return conversion(demo, ledger, request);
    return ad(demo, books, request) ?? sharedFile('adtech', path);
  };
}

interface Books {
  readonly ledger: Ledger;
  readonly log: SourceLog;
  sources: bigint;
}

/** An ad's picture; with `campaign` in the address, the response also registers a source. */
function ad(demo: Demo, books: Books, request: SiteRequest): Reply | null {
  const picture = adPictures.get(request.path);
  if (picture === undefined) return null;
  return svg(picture(), request.query.has('campaign') ? register(demo, books, request, 'view') : {});
}

/**
 * The header that registers a source for the request's campaign; also enters it in the ledger.
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
  const header = sourceHeader(campaign, id, origins.shop);
  books.log.add({
    source_event_id: id,
    reporting_origin: origins.adtech,
    source_type: kind === 'click' ? 'navigation' : 'event',
    registration: header,
    campaign: campaign.name,
  });
  tour.happened(kind === 'click' ? 'click' : 'see');
  books.ledger.add({
    kind,
    what: `${campaign.id} ${campaign.name}`,
    header,
    eligible: eligibilityOf(request),
  });
  return { 'Attribution-Reporting-Register-Source': header };
}

function askedCampaign({ query }: SiteRequest): Campaign {
  const campaign = campaignById(query.get('campaign'));
  if (campaign === null) throw new BadRequest('There is no such campaign.');
  return campaign;
}

/** The shop's pixel: a transparent image that registers a trigger. */
function conversion({ tour }: Demo, ledger: Ledger, request: SiteRequest): Reply {
  const order = request.query.get('order') ?? '';
  const total = Number(request.query.get('total'));
  if (!/^\d{1,18}$/.test(order)) throw new BadRequest('The order has to be a number.');
  if (!Number.isInteger(total) || total < 1 || total > 1_000_000) {
    throw new BadRequest('The total has to be in cents, up to a million.');
  }
  const { triggerData, priority } = purchase.byPixel;
  const header = JSON.stringify({
    // The key makes reloads of the thank-you page count once.
    event_trigger_data: [{ trigger_data: triggerData, priority, deduplication_key: order, value: total }],
  });
  tour.happened('buy');
  ledger.add({ kind: 'conversion', what: `order ${order}`, header, eligible: eligibilityOf(request) });
  const dot = html`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`;
  return svg(dot, { 'Attribution-Reporting-Register-Trigger': header });
}

const eligibilityOf = (request: SiteRequest): string | null =>
  request.header('Attribution-Reporting-Eligible');
