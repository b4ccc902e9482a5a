import { listenToAnnouncements } from './announcements';
import { sendEligibleFetch, sendNavigation } from './eligible';
import { gestureOfScript } from './gestures';
import { resolveHttpUrls } from './urls';

/** Passes on what page.ts announces. Each press of a person leads to one navigation source at most, whatever is announced. */
export function listenToPage(): void {
  listenToAnnouncements((announcement) => {
    if (announcement.kind === 'fetch') sendEligibleFetch(announcement.url, announcement.eligibility);
    if (announcement.kind !== 'open') return;
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
