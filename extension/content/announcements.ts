import { requestEligibilities } from '../eligibility-mark';
import { announceEvent, type Announcement } from './announcement';
import { listen } from './listen';
import { objectIn } from './object-in';

/** Calls `act` for each announcement of page.ts. Anything in the page can dispatch these events, so their form is checked. */
export function listenToAnnouncements(act: (announcement: Announcement) => void): void {
  listen(document, announceEvent, (event) => {
    const value = objectIn(String((event as CustomEvent).detail));
    if (value !== null && isAnnouncement(value)) act(value);
  });
}

function isAnnouncement(value: object): value is Announcement {
  const { kind, url, sources, eligibility }: Record<string, unknown> = { ...value };
  if (typeof url !== 'string') return false;
  if (kind === 'plain-open') return true;
  if (kind === 'fetch') return requestEligibilities.some((known) => known === eligibility);
  return kind === 'open' && Array.isArray(sources) && sources.every((source) => typeof source === 'string');
}
