import { announceEvent, readyEvent, requestEligibilities, type Announcement } from './announcement';
import { sendAttributionSrc, sendEligibleRequest } from './eligible';
import { listen } from './listen';
import { resolveHttpUrls } from './urls';
import { watchClicks } from './watch-clicks';

/**
 * Passes on what page.ts announces. Anything in the page can dispatch these events, so they are checked: a page may announce one window
 * for each click or key press, as many as the browser would open.
 */
export function listenToPage(): void {
  let mayOpen = false;
  watchClicks(() => (mayOpen = true));
  listen(window, 'keydown', ({ isTrusted }) => (mayOpen ||= isTrusted), { capture: true, passive: true });
  listen(document, announceEvent, (event) => {
    const announcement = parse((event as CustomEvent).detail);
    if (announcement?.kind === 'request') void sendRequest(announcement);
    if (announcement?.kind === 'open' && mayOpen && navigator.userActivation.isActive) {
      mayOpen = false;
      sendOpen(announcement);
    }
  });
}

async function sendRequest({ id, url, eligibility }: Announcement & { kind: 'request' }): Promise<void> {
  await sendEligibleRequest('fetch', url, eligibility);
  document.dispatchEvent(new Event(readyEvent(id)));
}

/** ARA, "Window open steps". */
function sendOpen({ url, sources }: Announcement & { kind: 'open' }): void {
  void sendEligibleRequest('navigation', url, 'navigation-source');
  sendAttributionSrc(resolveHttpUrls(sources.map(percentDecode)), 'navigation-source');
}

function percentDecode(text: string): string {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    utf8.decode(Uint8Array.from(run.slice(1).split('%'), (byte) => parseInt(byte, 16))),
  );
}

function parse(detail: unknown): Announcement | null {
  let value: unknown;
  try {
    value = JSON.parse(String(detail));
  } catch {
    return null;
  }
  return isAnnouncement(value) ? value : null;
}

function isAnnouncement(value: unknown): value is Announcement {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id, url, eligibility, sources }: Record<string, unknown> = { ...value };
  if (typeof url !== 'string') return false;
  return kind === 'request'
    ? typeof id === 'number' && requestEligibilities.some((known) => known === eligibility)
    : kind === 'open' && Array.isArray(sources) && sources.every((source) => typeof source === 'string');
}
