import { onReport } from './send';

/** Firefox's: a page's own `fetch`, which has no more rights than the page. Chrome's scripts have no other. */
declare const content: { readonly fetch: typeof fetch } | undefined;

/** Sends the reports that headers of this document's requests asked for (W3C Attribution, "send a report"). */
export function sendReports(): void {
  const fetchAsPage = typeof content === 'undefined' ? fetch : content.fetch;
  onReport(({ url, report }) => {
    void fetchAsPage(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: atob(report),
      mode: 'cors',
      cache: 'no-store',
      credentials: 'omit',
      keepalive: true,
      referrerPolicy: 'no-referrer',
    }).catch(() => undefined);
  });
}
