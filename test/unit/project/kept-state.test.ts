import { keptState } from '../helpers/costs/kept-state';
import { isCounted } from '../../../extension/store/storage-quotas';
import { tableNames, type TableName } from '../../../src/store/rows';

/*
 * Everything that outlives one message and that others can fill, with its bound and what happens when it is full. A new field or constant
 * that can hold any number of things fails here until it stands in this list.
 */

interface Kept {
  /** How much it holds, what happens beyond, and the test that fills it. */
  readonly bound: string;
  /** `FILE: NAME NAME …` */
  readonly at: readonly string[];
}

const kept: readonly Kept[] = [
  {
    bound:
      'One entry for each registration under way, response, declaration or rule that has room: 2 MB of each, shared by sites and tabs (docs/bounds.md). Beyond, dropped and counted in the log: `recorder-room`, `inbox-growth`, `fair-queue`, `content-messages`',
    at: [
      'extension/background/record/fair-queue.ts: added fresh served',
      'extension/background/record/inbox-index.ts: byUrl',
      'extension/background/record/inbox.ts: earlier rooms rows',
      'extension/background/record/recorder.ts: earlier queued',
      'extension/background/record/refusals.ts: counts',
      'extension/background/record/write-behind.ts: changes newest inFlight',
      'extension/background/state/fair-share.ts: held',
      'extension/background/state/pace.ts: due',
      'extension/store/inbox-store.ts: noted',
      'extension/store/shared-writes.ts: waiting',
    ],
  },
  {
    bound:
      'One entry for each registration under way, as above, and one for each message under way that asks for the arm of an ad: it waits for one read, or for the end of an earlier lift test (`lift-arms`)',
    at: ['extension/background/lift-arms.ts: underWay'],
  },
  {
    bound: '101 erasures. Beyond, the oldest counts as one of everything: `erasures`',
    at: ['extension/background/state/erasures.ts: erasures'],
  },
  {
    bound: '1,000 scopes of a navigation; the oldest is forgotten: `full-memories`',
    at: ['extension/background/record/navigation-scopes.ts: sets'],
  },
  {
    bound:
      'At most 500 documents and 100 pages that were left of a tab, 500 headers that wait, 50 of each of 200 workers, 5,000 first URLs, 10,000 requests that began, 1,000 of which a server wants a password, 8 MB in the session storage, shared by tabs. The oldest of the same tab is forgotten, and what it asks for registers nothing: `session-memory`, `crowding`, `beginnings`, `documents`, `full-memories`, `erased-unseen`',
    at: [
      'extension/background/documents/document-headers.ts: ofWorkers waiting',
      'extension/background/documents/first-urls.ts: frames rooms',
      'extension/background/documents/followed-presses.ts: followed',
      'extension/background/documents/remembered-documents.ts: known',
      'extension/background/documents/session-memory.ts: loading onTurnedOn rooms waiting',
      'extension/background/observe/beginnings.ts: byMaker known refused unfollowed',
      'extension/background/observe/begun-requests.ts: begun byMaker',
      'extension/background/observe/lost-requests.ts: earlier lost',
    ],
  },
  {
    bound:
      '500 questions about frames of one document, and 5 tries for each of 5,000. Beyond, the frame stays `page-unknown`: `full-memories`',
    at: ['extension/background/documents/frame-attributes.ts: questions tries'],
  },
  {
    bound:
      '20 clicks and navigations of a tab, 1,000 requests, and what the clicks of 1,000 lacked; one opener for each open tab. The oldest counts as not followed: `navigations`, `full-memories`',
    at: [
      'extension/background/documents/ineligible-clicks.ts: lacks',
      'extension/background/documents/navigations.ts: begun clicks ineligible openers requests',
    ],
  },
  {
    bound: 'One for each thing that waits for room, or for a second, in one tab',
    at: ['extension/background/documents/tab-changes.ts: waiting'],
  },
  {
    bound: 'One for each open tab',
    at: ['extension/background/w3c/activations.ts: tabs'],
  },
  {
    bound: 'Pages of the extension that are open',
    at: ['extension/background/documents/request-log.ts: ports'],
  },
  {
    bound:
      '3,000 events of requests and 1 MB of them, in debug mode only; the oldest are forgotten: `full-memories`',
    at: ['extension/background/documents/recent-requests.ts: kept'],
  },
  {
    bound: '1,000 senders; the oldest begins anew: `full-memories`',
    at: ['extension/background/observe/message-counts.ts: counts'],
  },
  {
    bound:
      '1,000 expected requests, shared by tabs, and 100 hosts with navigations. Beyond, the request goes without the header: `eligible-headers`, `full-memories`',
    at: [
      'extension/background/observe/eligible-headers.ts: claimed expected rulesOf',
      'extension/background/observe/navigation-rules.ts: hosts',
      'extension/background/observe/rule-batches.ts: adding removing',
    ],
  },
  {
    bound: '400 requests under way, shared by sites and tabs. Beyond, not made and counted: `own-requests`',
    at: [
      'extension/background/observe/own-requests.ts: expected known inFlight',
      'extension/background/observe/click-requests.ts: tabs',
    ],
  },
  {
    bound:
      '1,000,000 characters of URLs, of at most 200 each. Beyond, computed again: `src/model/remembered.ts`',
    at: ['extension/background/observe/own-requests.ts: originOf spaceOf'],
  },
  {
    bound: '1,000 requests each; the oldest is forgotten: `full-memories`',
    at: ['extension/background/observe/unused-answers.ts: notModified prefetches'],
  },
  {
    bound: '1,000 navigations; nothing is logged of the oldest: `navigation-answers`',
    at: ['extension/background/observe/navigation-answers.ts: known'],
  },
  {
    bound: 'What comes until the session storage has been read',
    at: ['extension/background/observe/web-requests.ts: waiting'],
  },
  {
    bound:
      '128 requests for reports, 2 to a site, one entry for each server that was silent, and one for each stored report that is due',
    at: [
      'extension/background/deliver/delivery.ts: collectors silent inFlight requests',
      'extension/background/deliver/queue.ts: added oldest',
      'extension/background/deliver/sliding-pool.ts: groups hanging ofBusyHolders ofBusyKeys running',
    ],
  },
  {
    bound: 'The keys of the collectors of one trial',
    at: ['extension/background/deliver/aggregation-keys.ts: known'],
  },
  {
    bound:
      'A number for each open tab, and for each of 1,000 navigations under way and 1,000 that ended; the oldest is not counted: `badge`',
    at: ['extension/background/state/badge.ts: arriving over waiting'],
  },
  {
    bound:
      'A page, the requests of the last eight before, and an answer for each open tab, each with at most 1,000 characters of its URL: `badge`',
    at: ['extension/background/state/tab-pages.ts: answers left shown'],
  },
  {
    bound: 'Listeners that the background adds when it starts; lists that a person writes',
    at: [
      'extension/background/state/participation.ts: listeners',
      'extension/background/state/settings.ts: listeners',
      'extension/background/record/forced-state.ts: nullReportDays',
      'extension/background/w3c/api.ts: forcedCredit',
    ],
  },
  {
    bound: 'A million characters of what it is made for; what is used least is forgotten: `remembered`',
    at: ['src/model/remembered.ts: known'],
  },
  {
    bound:
      "Of the page's own elements, in its own process: `frame-elements`, `test/e2e/content-cost.test.ts`",
    at: [
      'extension/content/elements.ts: awaited sentOf',
      'extension/content/former-values.ts: known',
      'extension/content/frames.ts: elementsBy seenOf',
      'extension/content/lift-ads.ts: seen',
      'extension/content/listen.ts: listenAgain',
      'extension/content/page-world/methods.ts: texts',
      'extension/content/page-world/xml-http-request.ts: requests',
      'extension/content/recording/viewability.ts: #added #empty #inView #timers',
    ],
  },
  {
    bound: '5,000 sources in all lists together: `candidate-cache`',
    at: ['extension/store/candidate-cache.ts: kept'],
  },
  {
    bound:
      'Rows of one transaction, or a number for each site that has rows; rows have 32 MB and more (docs/bounds.md): `ledger`, `store-idb`, `loaded-rows`',
    at: [
      'extension/store/idb-store.ts: counted hiding',
      'extension/store/idb-transaction.ts: changes registered replaced',
      'extension/store/transaction-ids.ts: newReports',
      'extension/store/storage-quotas.ts: deltas',
      'extension/store/loaded-rows.ts: byCandidate loadedKeys ranges tables',
      'extension/store/stored-accounts.ts: known total',
      'extension/store/upgrades.ts: conversions',
    ],
  },
  {
    bound:
      'Reports that wait to be written: bytes of all of them together. Beyond, 503: `collector-group-commit`',
    at: ['collector/store/group-commit.ts: #waiting'],
  },
  {
    bound: '100,000 clients; the one that came first begins anew: `collector-quota`',
    at: ['collector/intake/quota.ts: #stored'],
  },
  {
    bound:
      'Batches of tokens being signed, 20 requests in a minute of one device, 600 of one client: `collector-tokens`',
    at: ['collector/intake/issue-tokens.ts: #inFlight'],
  },
  {
    bound: 'The tokens that the trial gave out and that were spent, 150 bytes each: `collector-tokens`',
    at: ['collector/store/spent-tokens.ts: #uses'],
  },
  {
    bound: '1,000 configurations, then from the beginning',
    at: ['collector/sources/configuration.ts: knownK'],
  },
  {
    bound:
      'The configurations of the source log, and cells of one question or batch; strangers make at most 1,000 kinds: `collector-two-lives`',
    at: [
      'collector/store/known-configurations.ts: #known',
      'collector/store/outcome-totals.ts: #totals',
      'collector/store/outcomes.ts: bounds #changes',
      'collector/store/source-filter.ts: values',
    ],
  },
];

test('everything that others can fill is known, with its bound', () => {
  const known = kept.flatMap(({ at }) =>
    at.flatMap((one) => {
      const [file = '', names = ''] = one.split(': ');
      return names.split(' ').map((name) => `${file}: ${name}`);
    }),
  );
  expect([...new Set(keptState())].sort()).toEqual(known.sort());
});

const RECORDS =
  '48 MB of sources, and 48 MB of what conversions make, of each of which 16 MB are for sites with little. Beyond, registrations are ignored';
const DERIVED = 'sums of the rows above, or counted with their source';

/** A new table does not compile without its bound. `ledger`, `store-idb` and `recorder-room` fill them. */
const tables: Readonly<Record<TableName, string>> = {
  log: '24 MB; the sites with most lose their oldest rows',
  finished: '8 MB; the sites with most lose their oldest rows',
  spends: '8 MB; the sites with most lose their oldest rows',
  ...{ sources: RECORDS, reports: RECORDS, siteUse: RECORDS, partyUse: RECORDS, debugUse: RECORDS },
  ...{ sourceReports: DERIVED, originUse: DERIVED, destinationUse: DERIVED, candidateUse: DERIVED },
  ...{ accounts: DERIVED, undrawn: DERIVED, pairUse: DERIVED },
};

test('every table that only adds rows has room of its own in the ledger', () => {
  const counted = Object.entries(tables).filter(([, bound]) => bound !== DERIVED);
  expect(counted.map(([name]) => name).filter((name) => !isCounted(name as TableName))).toEqual([]);
  expect(tableNames().filter((name) => isCounted(name) && tables[name] === DERIVED)).toEqual([]);
});
