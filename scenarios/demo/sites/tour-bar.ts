import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Html } from '../../../collector/dashboard/html';
import { root } from '../../../node/root';
import type { Demo } from './demo';
import { file, page, redirect, type Site } from './server';
import { steps, type Step } from './tour';

const titles: Readonly<Record<Step, string>> = {
  see: 'See an ad',
  click: 'Click it',
  buy: 'Buy',
  clock: 'Turn the clock',
  read: 'Read the report',
};

/** What to do now. */
const tasks: Readonly<Record<Step, (demo: Demo) => Html>> = {
  see: ({ origins }) =>
    html`Open <a href="${origins.publisher}/">The Daily Toss</a>. Your browser records each ad that you see.
      The records stay on this device.`,
  click: ({ origins }) =>
    html`Your browser has recorded the ads, on this device only. Now click the
      <a href="${origins.publisher}/#ad-click">Decision Coin ad</a>.`,
  buy: ({ origins }) =>
    html`Your browser has recorded the click, and sent it to nobody.
      <a href="${origins.shop}/#buy">Buy the coin</a>.`,
  clock: () =>
    html`Your browser knows which ad led to the purchase. It reports that two days later, with noise. Click
      the Cointoss button (it may be behind the puzzle piece), and turn the clock
      <em>to the next report</em>.`,
  read: ({ origins }) =>
    html`A report has arrived. <a href="${origins.adtech}/">Read what it says, and why</a>.`,
};

/** The step that the visitor is at; nothing when there is no tour. */
export function tourBar(demo: Demo): Html {
  const step = demo.tour.step();
  return html`<aside class="tour" id="tour" aria-label="Guided demo" data-step="${step ?? ''}">
      ${step === null ? '' : stepAt(demo, step)}
    </aside>
    <script src="/tour.js" defer></script>`;
}

function stepAt(demo: Demo, step: Step): Html {
  const at = steps.indexOf(step);
  return html`<div class="tour-inner">
    <ol>
      ${steps.map(
        (each, index) =>
          html`<li class="${index < at ? 'done' : index === at ? 'now' : 'later'}">
            <span class="mark" aria-hidden="true">${index < at ? '✓' : index + 1}</span>
            <span>${titles[each]}</span>
          </li>`,
      )}
    </ol>
    <p role="status">
      <strong>Step ${at + 1} of ${steps.length}: ${titles[step]}.</strong> ${tasks[step](demo)}
    </p>
    <form method="post" action="/tour/end">
      <button type="submit">${step === 'read' ? 'End the demo' : 'Skip'}</button>
    </form>
  </div>`;
}

/** Begins the tour again, from the footer. */
export const beginTour = (): Html =>
  html`<form method="post" action="/tour/begin"><button type="submit">Guided demo</button></form>`;

/** Ads, clicks and reports reach their servers after the page has loaded, so the page asks until the last step. */
const SCRIPT = `
  const ask = async () => {
    const bar = document.getElementById('tour');
    if (['', 'read'].includes(bar.dataset.step)) return;
    if (!document.hidden) {
      const answer = await fetch('/tour').catch(() => null);
      const found = answer === null ? null : new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('tour');
      if (found !== null && found.dataset.step !== bar.dataset.step) bar.replaceWith(found);
    }
    setTimeout(ask, 1000);
  };
  void ask();
`;

const STYLE_SHEET = join(root, 'scenarios/demo/sites/style.css');

/** The site with what all three have: the tour's addresses and the style sheet, which is read each time, so that changes show on reload. */
export function withTour(demo: Demo, site: Site): Site {
  return async (request) => {
    const { method, path } = request;
    if (method === 'POST' && (path === '/tour/end' || path === '/tour/begin')) {
      if (path === '/tour/end') demo.tour.end();
      else demo.tour.begin();
      return redirect(303, backTo(request.header('Referer')));
    }
    if (path === '/tour.js') return file('text/javascript', SCRIPT);
    if (path === '/style.css') return file('text/css', readFileSync(STYLE_SHEET, 'utf8'));
    if (path !== '/tour') return site(request);
    await demo.tour.arrived();
    return page(tourBar(demo));
  };
}

/** The path of the page with the button: another origin in the header must not lead away. */
function backTo(referer: string | null): string {
  if (referer === null || !URL.canParse(referer)) return '/';
  const { pathname, search } = new URL(referer);
  return `/${pathname.replace(/^\/+/, '')}${search}`;
}
