import { html, type Html } from '../../../collector/dashboard/html';
import { dashboardOf, type Demo, type Origins } from './demo';
import { page, type Reply } from './server';
import { beginTour, tourBar } from './tour-bar';

type SiteName = keyof Origins;

const names: Readonly<Record<SiteName, string>> = {
  publisher: 'The Daily Toss',
  shop: 'Heads & Tails',
  adtech: 'Flipside Ads',
};

export interface Content {
  readonly title: string;
  readonly body: Html;
  /** The footer's note on what just happened in the browser. */
  readonly hint: Html;
}

/** A whole page of a site, with the bar and the footer that lead through the demo. */
export const layout = (demo: Demo, site: SiteName, { title, body, hint }: Content): Reply =>
  page(
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${names[site]}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body class="${site}">
        ${tourBar(demo)}
        <header><a class="site-name" href="/">${names[site]}</a></header>
        <main>${body}</main>
        ${footer(demo, site, hint)}
      </body>
    </html>`,
  );

function footer({ origins, collector, tour }: Demo, current: SiteName, hint: Html): Html {
  const link = (site: SiteName): Html =>
    site === current
      ? html`<li><span aria-current="page">${names[site]}</span></li>`
      : html`<li><a href="${origins[site]}/">${names[site]}</a></li>`;
  return html`<footer class="demo">
    <div>
      <h2>What just happened?</h2>
      ${hint}
    </div>
    <nav aria-label="The sites of the demo">
      <ul>
        ${link('publisher')} ${link('shop')} ${link('adtech')}
        ${collector === null ? '' : html`<li><a href="${dashboardOf(collector)}">The collector</a></li>`}
      </ul>
      ${tour.step() === null ? beginTour() : ''}
    </nav>
  </footer>`;
}
