import 'fake-indexeddb/auto';
import { inspect } from 'node:util';
import { importsBelow } from '../../../scripts/imports.mjs';
import type { PlacedResponse } from '../../../extension/background/record/recorder';
import type { PagePlace } from '../../../recording/places';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import type { Declaration } from '../../../recording/requests';
import type { Rows } from '../../../src/store/rows';
import { contents, NEWS, newEngine, START } from '../helpers/engine';
import { newRecorder, plainResponse } from '../helpers/recorder';
import { settled, useFakeTimers } from '../helpers/timers';

// What was written waits for a document that the browser never tells of.
useFakeTimers();

const pages = [NEWS, 'https://blog.example', 'https://shop.example'].map(
  (contextOrigin) => ({ kind: 'known', contextOrigin }) as PagePlace,
);

/** Ads of which chance alone decides what they report, and conversions between them, on three sites. */
const responses = Array.from({ length: 120 }, (_, index): PlacedResponse => {
  const isTrigger = index % 3 === 2;
  return {
    ...plainResponse,
    requestId: String(index),
    place: pages[index % 3] ?? null,
    eligibility: isTrigger ? 'trigger' : 'event-source',
    headers: {
      source: isTrigger
        ? null
        : JSON.stringify({
            destination: 'https://shop.example',
            source_event_id: String(index),
            event_level_epsilon: 0,
          }),
      trigger: isTrigger ? '{"event_trigger_data": [{}]}' : null,
      osSource: false,
      osTrigger: false,
      info: null,
    },
  };
});

const declaration = (index: number): Declaration => ({
  time: START,
  via: 'element',
  eligibility: 'event-source-or-trigger',
  url: `https://adtech.example/${index}`,
  place: { kind: 'known', contextOrigin: NEWS },
  tabId: 1,
  documentId: 'd1',
  documentOrigin: NEWS,
});

/** What the queues of the extension hold and do, one after the other, and what the engine decided meanwhile. */
async function queuesWith(seed: string): Promise<{
  readonly queues: {
    readonly order: readonly unknown[];
    readonly waiting: readonly number[];
    readonly log: readonly unknown[];
  };
  readonly decided: string;
}> {
  const order: (readonly [string, number | null])[] = [];
  const parts = await newRecorder(({ store }) => ({
    engine: newEngine({ store, seed }).engine,
    requests: {
      declared: () => undefined,
      decided: ({ requestId }, _decided, entry) => order.push([requestId, entry]),
    },
  }));
  const waiting: number[] = [];
  for (let from = 0; from < responses.length; from += 30) {
    for (const response of responses.slice(from, from + 30)) void parts.recorder.response(response);
    waiting.push((await parts.store.inbox.read()).rows.length);
    await settled();
    await jest.advanceTimersByTimeAsync(1000);
    await settled();
    waiting.push((await parts.store.inbox.read()).rows.length);
  }
  // One a second, after the first fifty of a site.
  for (let second = 0; second < 60 && order.length < responses.length; second++) {
    await jest.advanceTimersByTimeAsync(1000);
    await settled();
  }
  const log = await parts.store.read((tx) => tx.table('log').latest(Infinity));
  // Reports take ids, too.
  const place = new Map(log.map(({ id }, index) => [id, index]));
  return {
    queues: {
      order: order.map(([request, entry]) => [request, place.get(entry ?? NaN)]),
      waiting,
      log: log.map(({ kind, contextSite, time }) => [kind, contextSite, time]),
    },
    decided: JSON.stringify(
      log.map((entry) => ('decision' in entry ? [entry.decision] : [])),
      (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    ),
  };
}

test('what waits and in which order it is registered does not depend on what noise decides', async () => {
  const [one, other, third] = [await queuesWith('a'), await queuesWith('b'), await queuesWith('c')];
  expect(new Set([one.decided, other.decided, third.decided]).size).toBe(3);
  expect(one.queues.order).toHaveLength(responses.length);
  expect(other.queues).toEqual(one.queues);
  expect(third.queues).toEqual(one.queues);
});

/** Registers all responses at once, whatever their turn. */
async function registerAll(
  parts: Awaited<ReturnType<typeof newRecorder>>,
  between: (index: number) => Promise<void>,
) {
  for (const [index, { place, headers }] of responses.entries()) {
    const { contextOrigin } = place as { readonly contextOrigin: typeof NEWS };
    await parts.recorder.byHand({
      occasion: { time: START, contextOrigin, reportingOrigin: plainResponse.reportingOrigin, via: 'hand' },
      register: headers.source === null ? { kind: 'trigger' } : { kind: 'source', sourceType: 'event' },
      header: headers.source ?? headers.trigger ?? '',
      fenced: false,
      reportHeaderErrors: false,
    });
    await between(index);
  }
}

/** What content scripts send. */
const messagesAt = (url: string): readonly unknown[] => [
  { kind: 'rules' },
  { kind: 'rule-met', ruleId: 'none', values: [] },
  { kind: 'eligible-request', url: `${url}/request`, getsRule: true },
  { kind: 'eligible-fetch', url: `${url}/fetch`, eligibility: 'event-source' },
  { kind: 'wake' },
  { kind: 'link-pressed', url },
  { kind: 'navigation', url, sources: [], press: 1, time: 1, inMenu: false },
  { kind: 'ineligible-click', url, lack: 'attribute', time: 1, inMenu: false },
  { kind: 'attributionsrc', urls: [url] },
];

test('which messages are read and which declarations are kept does not depend on what noise decides', async () => {
  const takenWith = async (seed: string) => {
    const parts = await newRecorder(({ store }) => ({ engine: newEngine({ store, seed }).engine }));
    const answers: boolean[] = [];
    const urls: string[] = [];
    const content = new ContentMessages({
      ...parts,
      documents: {
        find: () => Promise.resolve(undefined),
        placeOf: () => Promise.resolve(pages[0]),
        urlsAround: () => [],
        pageIdOf: () => 'a',
      },
      headers: { expect: () => Promise.resolve() },
      ownRequests: { make: (url: string) => urls.push(url) },
      navigations: {
        clicked: ({ url }: { readonly url: string }) => urls.push(url),
        clickedInVain: ({ url }: { readonly url: string }) => urls.push(url),
      },
      now: () => parts.clock.now(),
      isDebugged: () => true,
      asked: () => parts.recorder.asked(),
    } as unknown as ConstructorParameters<typeof ContentMessages>[0]);
    const sender = { tab: { id: 1 }, url: `${NEWS}/`, origin: NEWS, documentId: 'a', frameId: 0 } as never;
    await registerAll(parts, async (index) => {
      void parts.recorder.eligibleRequest(declaration(index), parts.recorder.asked());
      for (const message of messagesAt(`https://adtech.example/${index}`))
        answers.push((await content.answer(message, sender)) !== false);
    });
    await settled();
    const { rows } = await parts.store.inbox.read();
    const reports = await parts.store.read((tx) => tx.table('reports').count());
    return {
      taken: { answers, urls, declared: rows.map((row) => ('request' in row ? row.request.url : '')) },
      reports,
    };
  };
  const [one, other] = [await takenWith('a'), await takenWith('b')];
  expect(one.reports).not.toBe(other.reports);
  expect(new Set(one.taken.answers)).toEqual(new Set([true, false]));
  expect(one.taken.declared).not.toHaveLength(0);
  expect(one.taken.urls).not.toHaveLength(0);
  expect(other.taken).toEqual(one.taken);
});

test('nothing is decided by what the log, the finished reports and the list of spends have lost', async () => {
  const decidedWith = async (forgets: boolean): Promise<unknown> => {
    const parts = await newRecorder(({ store }) => ({ engine: newEngine({ store, seed: 'a' }).engine }));
    const { store } = parts;
    await registerAll(parts, async (index) => {
      if (forgets && index % 30 === 29)
        await store.write(async (tx) => {
          for (const name of ['log', 'finished', 'spends'] as const) await tx.table(name).clear();
        });
    });
    const { log, finished, spends, ...decided } = await contents(store);
    // Each store has other keys, and with them other ids of reports, and another order.
    const text = Object.entries(decided).map(([table, rows]) => [
      table,
      rows.map((row) => inspect(withoutReportIds(table, row as object), { depth: null })).sort(),
    ]);
    return { text, isKept: [log, finished, spends].some((rows) => rows !== undefined && rows.length > 0) };
  };
  const [all, some] = [await decidedWith(false), await decidedWith(true)];
  expect(all).toMatchObject({ isKept: true });
  expect(some).toEqual({ ...(all as object), isKept: false });
});

const withoutReportIds = (table: string, row: object): object =>
  ({
    reports: { ...row, id: null },
    sourceReports: { ...row, reports: (row as Partial<Rows['sourceReports']>).reports?.length },
  })[table] ?? row;

/** All that files import, also only as a type, and what that imports. */
function reachedFrom(folder: string): readonly string[] {
  const imports = importsBelow([
    'extension',
    'recording',
    'src',
    'transactions',
    'formats',
    'w3c',
    'analysis',
  ]);
  const reached = new Set([...imports.keys()].filter((file) => file.startsWith(folder)));
  expect(reached.size).toBeGreaterThan(10);
  // Grows while it is gone through.
  for (const file of reached) for (const imported of imports.get(file) ?? []) reached.add(imported);
  return [...reached].filter((file) => !file.startsWith(folder));
}

/** What decides, keeps what was decided, or reads it. */
const DECIDED =
  /^(src\/engine\.ts|extension\/store\/(?!charges\.ts)|extension\/background\/|analysis\/store\/)/;

test.each<[string, string, readonly string[]]>([
  [
    'documents, frames, navigations and marks',
    'extension/background/documents/',
    ['asked', 'fair-share', 'steady-time'],
  ],
  ['what content scripts keep', 'extension/content/', []],
])('%s can know nothing that was decided', (_what, folder, states) => {
  const expected = states.map((name) => `extension/background/state/${name}.ts`);
  const found = reachedFrom(folder).filter((file) => DECIDED.test(file));
  expect(found.sort()).toEqual(expected);
});
