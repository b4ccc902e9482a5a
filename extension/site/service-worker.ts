/** Keeps the site's files, so that it works offline. The build puts `files` and `version` before this script. */

declare const files: readonly string[];
declare const version: string;

/** What TypeScript's types for pages lack. */
interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

/** Of this copy of the site: an origin may have several. */
const mine = `cointoss ${location.pathname} `;
const current = mine + version;

addEventListener('install', (event) => {
  const keep = async (): Promise<void> => (await caches.open(current)).addAll(files);
  (event as WorkerEvent).waitUntil(keep());
});

addEventListener('activate', (event) => {
  const forgetOlder = async (): Promise<void> => {
    const older = (await caches.keys()).filter((name) => name.startsWith(mine) && name !== current);
    await Promise.all(older.map((name) => caches.delete(name)));
  };
  (event as WorkerEvent).waitUntil(forgetOlder());
});

addEventListener('fetch', (event) => {
  const { request } = event as WorkerEvent;
  const answer = async (): Promise<Response> =>
    (await (await caches.open(current)).match(request, { ignoreSearch: true })) ?? fetch(request);
  (event as WorkerEvent).respondWith(answer());
});
