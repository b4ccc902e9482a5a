import { announceEvent, type Announcement } from './announcement';
import { requestEligibilities } from '../eligibility-mark';
import { sendEligibleFetch, sendNavigation } from './eligible';
import { gestureOfScript } from './gestures';
import { listen } from './listen';
import { objectIn } from './object-in';
import { resolveHttpUrls } from './urls';

/**
 * Passes on what page.ts announces. Anything in the page can dispatch these events, so they are checked: each press of a person leads to one
 * navigation source at most, whatever is announced.
 */
export function listenToPage(): void {
  listen(document, announceEvent, (event) => {
    const announcement = parse((event as CustomEvent).detail);
    if (announcement?.kind === 'fetch') sendEligibleFetch(announcement.url, announcement.eligibility);
    if (announcement?.kind !== 'open') return;
    // ARA, "Window open steps".
    const sources = resolveHttpUrls(announcement.sources.map(percentDecode));
    sendNavigation(announcement.url, sources, gestureOfScript());
  });
}

function percentDecode(text: string): string {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    utf8.decode(Uint8Array.from(run.slice(1).split('%'), (byte) => parseInt(byte, 16))),
  );
}

function parse(detail: unknown): Announcement | null {
  const value = objectIn(String(detail));
  return value !== null && isAnnouncement(value) ? value : null;
}

function isAnnouncement(value: object): value is Announcement {
  const { kind, url, sources, eligibility }: Record<string, unknown> = { ...value };
  if (typeof url !== 'string') return false;
  if (kind === 'fetch') return requestEligibilities.some((known) => known === eligibility);
  return kind === 'open' && Array.isArray(sources) && sources.every((source) => typeof source === 'string');
}
