import { html, type Html } from './html';
import { icon } from './assets';
import { messagesIn } from './languages';

/** @param language of the body; the dashboard's script takes it from here. */
export const renderDocument = (language: string, title: string, body: Html, script: Html): string =>
  html`<!doctype html>
    <html lang="${language}">
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

/**
 * The script first asks for what there is to group by, so the browser fetches it beside the script. Nothing else is fetched so early: what is
 * older than the counts in this answer would be shown as current.
 */
const script = html`<link rel="preload" href="/dimensions" as="fetch" crossorigin />
  <script src="/assets/dashboard.js" defer></script>`;

export function dashboardDocument(language: string, knowsTruth: boolean): string {
  const words = messagesIn(language);
  return renderDocument(
    language,
    words.title,
    html`<div id="dashboard" data-icon="${icon}" data-truth="${String(knowsTruth)}">
      <noscript>
        <p class="banner">${words['needs-script']} <a href="/reports">/reports</a></p>
      </noscript>
    </div>`,
    script,
  );
}
