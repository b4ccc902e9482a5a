import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardOf, type Demo, type Origins } from './demo';
import { html, raw, type Html } from '../../../collector/dashboard/html';
import { root } from '../../../node/root';
import { file, svg, type Reply } from './server';
import { beginTour, tourBar } from './tour-bar';

type SiteName = keyof Origins;

const names: Readonly<Record<SiteName, string>> = {
  publisher: 'The Daily Toss',
  shop: 'Heads & Tails',
  adtech: 'Flipside Ads',
};

const favicons: Readonly<Record<SiteName, Html>> = {
  publisher: favicon('#8c1c2b', 'T'),
  shop: favicon('#0e5a43', 'H'),
  adtech: favicon('#4a3fcf', 'F'),
};

export interface Frame {
  readonly title: string;
  readonly body: Html;
  /** The footer's note on what just happened in the browser. */
  readonly hint: Html;
}

/** A whole page of a site, with the footer that guides through the demo. */
export function frame(demo: Demo, site: SiteName, { title, body, hint }: Frame): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title === names[site] ? title : `${title} · ${names[site]}`}</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/style.css" />
    </head>
    <body class="${site}">
      ${tourBar(demo)} ${body} ${demoFooter(demo, site, hint)}
    </body>
  </html>`;
}

/** The style sheet and icon of every site; null for any other path. */
export function sharedFile(site: SiteName, path: string): Reply | null {
  if (path === '/style.css') return file('text/css; charset=utf-8', styles(site));
  if (path === '/favicon.svg') return svg(favicons[site]);
  return null;
}

function demoFooter({ origins, collector, tour }: Demo, current: SiteName, hint: Html): Html {
  const link = (site: SiteName): Html =>
    site === current
      ? html`<li><span aria-current="page">${names[site]}</span></li>`
      : html`<li><a href="${origins[site]}/">${names[site]}</a></li>`;
  return html`<footer class="demo">
    <div class="demo-inner">
      <div class="demo-hint">
        <h2>What just happened?</h2>
        ${hint}
      </div>
      <nav aria-label="The sites of the demo">
        <p>Cointoss demo</p>
        <ul>
          ${link('publisher')} ${link('shop')} ${link('adtech')}
          ${collector === null ? '' : html`<li><a href="${dashboardOf(collector)}">The collector</a></li>`}
        </ul>
        ${tour.step() === null ? beginTour() : ''}
      </nav>
    </div>
  </footer>`;
}

const folder = join(root, 'scenarios/demo/sites/styles');

// Read for each page, so that changes show on reload.
const styles = (site: SiteName): string =>
  ['base', site].map((name) => readFileSync(join(folder, `${name}.css`), 'utf8')).join('\n');

function favicon(colour: string, letter: string): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <circle cx="16" cy="16" r="15" fill="${colour}" />
    <circle cx="16" cy="16" r="12" fill="none" stroke="#fff" stroke-opacity=".5" />
    <text
      x="16"
      y="22"
      font-family="Georgia, serif"
      font-size="18"
      font-weight="700"
      fill="#fff"
      text-anchor="middle"
    >
      ${raw(letter)}
    </text>
  </svg>`;
}
