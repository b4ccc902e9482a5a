import { Html, html } from '../../../collector/dashboard/html';
import { siteOfUrl } from '../../../src/model/site';
import type { Demo } from './demo';
import { layout } from './layout';
import { file, type Reply, type SiteRequest } from './server';
import type { SourceLog } from './source-log';

/* Pages of the recorded session (docs/session.md): W3C Attribution, and a lift test whose arms the device draws. */

/** The bucket of the ad on the publisher's page. */
const BUCKET = 2;
const BUCKETS = 4;
/** Of a conversion. */
const EPSILON = 0.5;

/** A source of the lift test reports after an hour. */
const WINDOW_SECONDS = 3600;
const CAMPAIGN = 'coin';

const pause = (text: string): Html => html`<p>${text}</p>`;

/** The publisher's page whose ad calls `saveImpression` when it is opened, as a person asks for it. */
export const impressionPage = (demo: Demo): Reply =>
  layout(demo, 'publisher', {
    title: 'Small bets',
    body: html`<h1>Small bets</h1>
      <p class="lead">A page whose ad is measured with W3C Attribution.</p>
      <button id="open-ad">Open the ad</button>
      <output id="said"></output>
      ${script(
        `navigator.attribution.saveImpression({ histogramIndex: ${BUCKET}, conversionSites: ['${hostOf(demo.origins.shop)}'] }).then(() => 'saved')`,
        '#open-ad',
      )}`,
    hint: pause('The impression stays on this device. Nobody is told that it was saved.'),
  });

/** The shop's page that calls `measureConversion` at a purchase, and shows the report that it gets. */
export const conversionPage = (demo: Demo): Reply =>
  layout(demo, 'shop', {
    title: 'Decision Coin',
    body: html`<h1>Decision Coin</h1>
      <p class="lead">A page whose purchases are measured with W3C Attribution.</p>
      <button id="buy">Buy now</button>
      <output id="said"></output>
      ${script(
        `navigator.attribution.measureConversion({
          aggregationService: [...navigator.attribution.aggregationServices.keys()][0],
          histogramSize: ${BUCKETS}, epsilon: ${EPSILON} }).then(({ report }) => new TextDecoder().decode(report))`,
        '#buy',
      )}`,
    hint: pause('The page gets a sealed report after each purchase, also if there was no ad.'),
  });

const hostOf = (origin: string): string => new URL(origin).hostname;

/** Runs a call when the button is pressed, and shows its result. */
const script = (call: string, button: string): Html =>
  new Html(`<script>
    document.querySelector('${button}').onclick = () => ${call}.then(
      (text) => (document.querySelector('#said').textContent = text),
      (error) => (document.querySelector('#said').textContent = error.name + ': ' + error.message));
  </script>`);

/** The publisher's page with an ad of a lift test. Both arms register the same view. */
export const liftPage = (demo: Demo): Reply => {
  const { publisher, shop, adtech } = demo.origins;
  return layout(demo, 'publisher', {
    title: 'Who needs an ad?',
    body: html`<h1>Who needs an ad?</h1>
      <p class="lead">This device drew whether it sees the ad of a campaign or another one.</p>
      <div
        id="lift-ad"
        data-lift-campaign="${CAMPAIGN}"
        data-lift-reporting-origin="${adtech}"
        data-lift-destination="${shop}"
        data-lift-exposed="${adtech}/ad/tea.svg"
        data-lift-holdout="${publisher}/house.svg"
        data-lift-size="300x200"
      ></div>
      <img attributionsrc src="${adtech}/lift-view" width="1" height="1" alt="" />`,
    hint: html`<p>Neither this page (${publisher}) nor the ad server knows which ad is shown.</p>`,
  });
};

/** The ad of the publisher's own that people of the holdout arm see. */
export const houseAdPicture = (): Reply => {
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200">
    <rect width="100%" height="100%" fill="#7d1a2c" />
    <text x="50%" y="54%" fill="#fbf6ea" font-size="25" font-family="serif" text-anchor="middle">
      Read The Daily Toss
    </text>
  </svg>`;
  return file('image/svg+xml', picture.markup);
};

/** The shop's page after a purchase of the lift test. */
export const liftOrderPage = (demo: Demo): Reply =>
  layout(demo, 'shop', {
    title: 'Thank you',
    body: html`<h1>It landed.</h1>
      <img src="${demo.origins.adtech}/lift-conversion" width="1" height="1" alt="" />`,
    hint: pause('The purchase names both arms. The device chooses the one that it drew.'),
  });

/** Registers the view that both arms have in common; null: another address. */
export function liftRegistration(
  { origins }: Demo,
  log: SourceLog,
  { path }: SiteRequest,
  nextId: () => bigint,
): Reply | null {
  if (path === '/lift-conversion')
    return pixel({ 'Attribution-Reporting-Register-Trigger': JSON.stringify(liftTrigger) });
  if (path !== '/lift-view') return null;
  const id = String(nextId());
  const header = {
    source_event_id: id,
    destination: siteOfUrl(origins.shop),
    priority: '1',
    filter_data: { campaign: [CAMPAIGN] },
    trigger_data: [0, 1],
    trigger_data_matching: 'exact',
    max_event_level_reports: 1,
    event_report_window: String(WINDOW_SECONDS),
  };
  const registration = JSON.stringify(header);
  log.add({
    source_event_id: id,
    reporting_origin: origins.adtech,
    source_type: 'event',
    registration,
    campaign: CAMPAIGN,
  });
  return pixel({ 'Attribution-Reporting-Register-Source': registration });
}

/** Sources without an arm match the first entry, whose trigger data they lack. */
const liftTrigger = {
  event_trigger_data: [
    { trigger_data: '2', filters: { arm: ['none'] } },
    { trigger_data: '0', filters: { arm: ['exposed'] } },
    { trigger_data: '1', filters: { arm: ['holdout'] } },
  ],
};

const pixel = (headers: Readonly<Record<string, string>>): Reply =>
  file('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>', headers);
