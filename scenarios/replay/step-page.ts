import type { Eligibility } from '../../recording/eligibility';
import type { JsonObject } from '../../src/model/json';

const pageOf = (content: string): string =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>step</title><body>${content}`;

/** A page that makes a request with this eligibility, as a site would write it. */
export const stepPage = (url: string, eligibility: Eligibility): string => pageOf(body(url, eligibility));

/** A page that calls `navigator.attribution` when it is pressed, and sends what it got, as text, to an address of its site. */
export const callPage = (
  method: 'saveImpression' | 'measureConversion',
  options: JsonObject,
  answer: string,
): string =>
  pageOf(`<button style="${COVERS}">call</button><script>
const send = (said) => fetch(${inScript(answer)}, { method: 'POST', body: JSON.stringify(said) });
document.querySelector('button').onclick = () => navigator.attribution[${inScript(method)}](${inScript(options)}).then(
  ({ report }) => send({ report: report === undefined ? null : new TextDecoder().decode(report) }),
  (error) => send({ error: error.name }),
);
</script>`);

/** A page whose frame calls. */
export const framePage = (url: string): string =>
  pageOf(
    `<iframe style="${COVERS}" allow="save-impression; measure-conversion" src="${escapeAttribute(url)}"></iframe>`,
  );

function body(url: string, eligibility: Eligibility): string {
  const address = escapeAttribute(url);
  switch (eligibility) {
    case 'navigation-source':
      // Covers the page, so that a click anywhere follows it.
      return `<a style="position: fixed; inset: 0" attributionsrc href="${address}">ad</a>`;
    case 'event-source-or-trigger':
      return `<img attributionsrc src="${address}">`;
    case 'unset':
      return `<img src="${address}">`;
    case 'event-source':
    case 'trigger':
    case 'empty':
      return `<script>${fetchCall(url, eligibility)}</script>`;
  }
}

function fetchCall(url: string, eligibility: 'event-source' | 'trigger' | 'empty'): string {
  const options = {
    mode: 'no-cors',
    attributionReporting: {
      eventSourceEligible: eligibility === 'event-source',
      triggerEligible: eligibility === 'trigger',
    },
  };
  return `fetch(${inScript(url)}, ${inScript(options)})`;
}

const COVERS = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0';

/** A value in a script that is part of a page. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
