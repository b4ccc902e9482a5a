import { announceEvent, type Announcement } from './announcement';
import { sendNavigation } from './eligible';
import { takeGesture } from './gestures';
import { listen } from './listen';
import { resolveHttpUrls } from './urls';

/**
 * Passes on what page.ts announces. Anything in the page can dispatch these events, so they are checked: a page may announce one window
 * for each press of a person, as many as the browser would open.
 */
export function listenToPage(): void {
  listen(document, announceEvent, (event) => {
    const announcement = parse((event as CustomEvent).detail);
    if (announcement === null || !takeGesture()) return;
    // ARA, "Window open steps".
    sendNavigation(announcement.url, resolveHttpUrls(announcement.sources.map(percentDecode)));
  });
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
  const { kind, url, sources }: Record<string, unknown> = { ...value };
  return (
    kind === 'open' &&
    typeof url === 'string' &&
    Array.isArray(sources) &&
    sources.every((source) => typeof source === 'string')
  );
}
