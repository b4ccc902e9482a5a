import { html, type Html } from '../html';
import { icon } from './assets';

export const renderDocument = (title: string, body: Html, script: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="/assets/dashboard.css" />
        ${script}
      </head>
      <body>
        ${body}
      </body>
    </html>`.markup;

const script = html`<script src="/assets/dashboard.js" defer></script>`;

export const dashboardDocument = (knowsTruth: boolean): string =>
  renderDocument(
    'Cointoss collector',
    html`<div id="dashboard" data-icon="${icon}" data-truth="${String(knowsTruth)}">
      <noscript>
        <p class="banner">
          The dashboard needs JavaScript. Without it, you can read the reports at
          <a href="/reports">/reports</a>.
        </p>
      </noscript>
    </div>`,
    script,
  );
