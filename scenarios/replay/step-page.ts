import type { Eligibility } from '../../recording/eligibility';

/** A page that makes a request with this eligibility, as a site would write it. */
export function stepPage(url: string, eligibility: Eligibility): string {
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>step</title><body>${body(url, eligibility)}`;
}

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
  const call = `fetch(${JSON.stringify(url)}, ${JSON.stringify(options)})`;
  return call.replaceAll('<', '\\u003c');
}

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
