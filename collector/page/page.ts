import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from '../html';
import type { StoredReport } from '../store/reports';
import type { Counts } from '../store/tallies';
import { PAGE_SIZE, renderView } from './view';

const asset = (name: string): string => readFileSync(join(__dirname, name), 'utf8');

export const style = asset('page.css');
const script = asset('page.client.js');
export const icon = `data:image/svg+xml;base64,${Buffer.from(asset('icon.svg')).toString('base64')}`;

/** How a content security policy names a style or script of the page itself. */
export const sha256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing runs or loads on the page but its own style, script and icon; it may ask its own origin for news. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${sha256(style)}`,
  `script-src ${sha256(script)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The whole page, complete without its script; that only keeps it up to date. */
export function renderPage(counts: Counts, reports: readonly StoredReport[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Cointoss collector</title>
        <link rel="icon" href="${icon}" />
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <img src="${icon}" alt="" width="40" height="40" />
          <div class="title">
            <h1>Cointoss collector</h1>
            <p>Noisy reports of conversions, as browsers sent them</p>
          </div>
          <div class="live">
            <p id="status" role="status"></p>
            <button type="button" id="pause" hidden>Pause</button>
          </div>
        </header>
        <main>${renderView(counts, reports)}</main>
        <footer>
          <p>
            The newest ${PAGE_SIZE} reports are shown. All of them:
            <a href="/reports" download="reports.ndjson">reports.ndjson</a>
          </p>
          <p>
            <strong>Campaign</strong> is the source event id that the advertisement carried.
            <strong>Value</strong> is the range that the sum of the conversions' values fell in, or a noisy
            value. <strong>Noise rate</strong> is the probability that what a source reports is random.
          </p>
        </footer>
        ${raw(`<script>${script}</script>`)}
      </body>
    </html>`.markup;
}
