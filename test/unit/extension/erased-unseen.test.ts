import 'fake-indexeddb/auto';
import browser from 'webextension-polyfill';
import type { Documents } from '../../../extension/background/documents/documents';
import type { Navigations } from '../../../extension/background/documents/navigations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { WebRequests } from '../../../extension/background/observe/web-requests';
import { Inbox } from '../../../extension/background/record/inbox';
import { Recorder } from '../../../extension/background/record/recorder';
import { Erasures } from '../../../extension/background/state/erasures';
import type { ErasingScope } from '../../../extension/erasing/scope';
import type { Origin } from '../../../src/model/units';
import { START } from '../helpers/engine';
import { entriesIn } from '../helpers/entries-in';
import { newRecorder } from '../helpers/recorder';
import { endBackground, tell } from '../helpers/webextension';

/*
 * An answer to a request whose beginning this run of the background did not see, or has forgotten.
 */

beforeAll(
  () => void jest.useFakeTimers({ doNotFake: ['Date', 'setImmediate', 'nextTick', 'queueMicrotask'] }),
);
beforeEach(() => new SessionMemory().turn(false));
afterEach(() => void jest.restoreAllMocks());
afterAll(() => void jest.useRealTimers());

const NEWS = 'https://news.example' as Origin;
const PIXEL = 'https://ads.example/pixel';
const news: ErasingScope = { kind: 'sites', sites: [NEWS] };
const TRIGGER = { name: 'Attribution-Reporting-Register-Trigger', value: '{}' };

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A background that watches the requests of a page, and can be stopped. */
class Background {
  private memory = new SessionMemory();
  private inbox!: Inbox;
  private recorder!: Recorder;
  beginnings!: Beginnings;

  private constructor(private readonly parts: Awaited<ReturnType<typeof newRecorder>>) {}

  static async start(): Promise<Background> {
    const parts = await newRecorder();
    await parts.clock.setTo(START, true);
    const background = new Background(parts);
    await background.restart();
    return background;
  }

  /**
   * @param isOn whether Cointoss may record then
   * @param meanwhile happens before the session storage is read
   */
  async restart(
    isOn = true,
    meanwhile = (): void => undefined,
    stored = browser.storage.session.get(null),
  ): Promise<void> {
    let read = (): void => undefined;
    jest
      .spyOn(browser.storage.session, 'get')
      .mockImplementationOnce(() => new Promise((resolve) => (read = () => resolve(stored))));
    endBackground();
    this.memory = new SessionMemory();
    const erasures = new Erasures(this.memory);
    this.beginnings = new Beginnings(this.memory);
    const { parts, beginnings } = this;
    this.inbox = await Inbox.load(parts.store.inbox, erasures);
    const documents = {
      ...parts.documents,
      placeNow: () => ({ kind: 'known', contextOrigin: NEWS }) as const,
    };
    this.recorder = new Recorder({ ...parts, documents, inbox: this.inbox });
    new WebRequests({
      ...{ beginnings, erasures, onUnused: () => undefined },
      navigations: { openerOf: () => null } as unknown as Navigations,
      ownRequests: { began: () => undefined, responseTo: () => false } as unknown as OwnRequests,
      documents: { answered: () => undefined, pageWith: () => null } as unknown as Documents,
      recording: Promise.resolve({ ...parts, recorder: this.recorder, attribution: undefined as never }),
    }).listen();
    meanwhile();
    read();
    await Promise.all([beginnings.loaded, erasures.loaded]);
    this.turn(isOn);
  }

  turn(isOn: boolean): void {
    this.memory.turn(isOn);
  }

  begin(requestId = '1', more: object = {}): void {
    tell('beforeRequest', { ...request, requestId, ...more });
  }

  redirect(requestId = '1'): void {
    const responseHeaders = [{ name: 'Location', value: PIXEL }];
    tell('headersReceived', { ...request, requestId, statusCode: 302, responseHeaders });
  }

  answer(requestId = '1', more: object = {}): void {
    tell('headersReceived', { ...request, requestId, statusCode: 200, responseHeaders: [TRIGGER], ...more });
  }

  /** As the person says. Null: everything. */
  erase(scope: ErasingScope | null): Promise<void> {
    return this.inbox.erase(scope);
  }

  async logged(): Promise<number> {
    await settled();
    await this.recorder.alone(() => Promise.resolve());
    return this.parts.store.count('log');
  }
}

const request = {
  ...{ type: 'image', url: PIXEL, tabId: 1, frameId: 0, documentId: 'page', initiator: NEWS },
  timeStamp: START + 0.25,
};

const scopes: readonly (readonly [what: string, scope: ErasingScope | null, left: number])[] = [
  ['everything', null, 0],
  ['its page', news, 0],
  ['another page', { kind: 'sites', sites: ['https://blog.example'] }, 1],
  // Nobody knows when it was asked for.
  ['a time', { kind: 'time', from: 0, to: 1 }, 0],
];

describe('of a request that began before the background started', () => {
  test.each(['image', 'script', 'main_frame', 'sub_frame'])('(%s) the answer counts', async (type) => {
    const it = await Background.start();
    it.begin('1', { type });
    await it.restart();
    it.answer('1', { type });
    expect(await it.logged()).toBe(1);
  });

  describe.each(scopes)('%s is erased', (_what, scope, left) => {
    test('afterwards', async () => {
      const it = await Background.start();
      it.begin();
      await it.restart();
      await it.erase(scope);
      it.answer();
      expect(await it.logged()).toBe(left);
    });

    test('before', async () => {
      const it = await Background.start();
      it.begin();
      await it.erase(scope);
      await it.restart();
      it.answer();
      expect(await it.logged()).toBe(left);
    });

    test('before, and all is paused meanwhile', async () => {
      const it = await Background.start();
      it.begin();
      await it.erase(scope);
      it.turn(false);
      await it.restart(false);
      await it.restart(false);
      it.turn(true);
      it.answer();
      expect(await it.logged()).toBe(left);
    });
  });

  test.each(['script', 'main_frame', 'sub_frame'])('(%s) everything is erased', async (type) => {
    const it = await Background.start();
    it.begin('1', { type });
    await it.erase(null);
    await it.restart();
    it.answer('1', { type });
    expect(await it.logged()).toBe(0);
  });

  test.each(['image', 'main_frame'])('(%s) no redirect makes it begin anew', async (type) => {
    const it = await Background.start();
    it.begin('1', { type });
    await it.erase(null);
    await it.restart();
    tell('headersReceived', {
      ...{ ...request, type, statusCode: 302 },
      responseHeaders: [{ name: 'Location', value: PIXEL }],
    });
    tell('beforeRedirect', { ...request, type, requestId: '1' });
    it.begin('1', { type });
    it.answer('1', { type });
    expect(await it.logged()).toBe(0);
  });

  test.each([
    ['counts', false, 1],
    ['does not count once everything was erased', true, 0],
  ])('of which an earlier background saw a redirect, the answer %s', async (_how, isErased, left) => {
    const it = await Background.start();
    it.begin();
    it.redirect();
    if (isErased) await it.erase(null);
    await it.restart(true, () => it.begin());
    it.answer();
    expect(await it.logged()).toBe(left);
  });

  test('one that began after the erasure counts, as its number says', async () => {
    const it = await Background.start();
    it.begin('7');
    await it.erase(null);
    it.begin('9');
    it.begin('10');
    await it.restart();
    for (const id of ['7', '9', '10']) it.answer(id);
    expect(await it.logged()).toBe(2);
  });

  test('so it does after several erasures and starts', async () => {
    const it = await Background.start();
    it.begin('1');
    await it.erase(null);
    it.begin('2');
    await it.restart();
    await it.erase(news);
    await it.restart();
    it.begin('3');
    await it.restart();
    it.begin('4');
    await it.restart();
    it.answer('1');
    it.answer('2');
    expect(await it.logged()).toBe(0);
    it.answer('3');
    it.answer('4');
    expect(await it.logged()).toBe(2);
  });

  test('the next hop of an older one says nothing of the numbers after an erasure', async () => {
    const it = await Background.start();
    it.begin('5');
    it.begin('7');
    await it.erase(null);
    it.redirect('5');
    it.begin('5');
    await it.restart();
    it.answer('7');
    expect(await it.logged()).toBe(0);
  });

  test('nothing counts if it cannot be read what was erased', async () => {
    const it = await Background.start();
    it.begin();
    await it.restart(true, () => undefined, Promise.reject(new Error('no storage')));
    it.answer();
    expect(await it.logged()).toBe(0);
  });
});

describe('of a request that is forgotten among 1,000 newer ones of its tab', () => {
  const flood = (it: Background): void => {
    for (let id = 2; id <= 1001; id++) it.begin(String(id));
  };

  test('the answer counts', async () => {
    const it = await Background.start();
    it.begin();
    flood(it);
    it.answer();
    expect(await it.logged()).toBe(1);
  });

  test.each(scopes)('%s is erased', async (_what, scope, left) => {
    const it = await Background.start();
    it.begin();
    flood(it);
    await it.erase(scope);
    it.answer();
    expect(await it.logged()).toBe(left);
  });

  test('it counts if it began after the erasure', async () => {
    const it = await Background.start();
    await it.erase(null);
    it.begin();
    flood(it);
    it.answer();
    expect(await it.logged()).toBe(1);
  });
});

describe('a server wants a password before it answers', () => {
  const refuse = (it: Background): void =>
    it.answer('1', { statusCode: 401, responseHeaders: [{ name: 'WWW-Authenticate', value: 'Basic' }] });

  test.each(scopes)('%s is erased meanwhile', async (_what, scope, left) => {
    const it = await Background.start();
    it.begin();
    await it.erase(scope === null || scope.kind === 'sites' ? scope : { ...scope, to: START });
    refuse(it);
    it.answer();
    expect(await it.logged()).toBe(left);
  });

  test('everything was erased before', async () => {
    const it = await Background.start();
    await it.erase(null);
    it.begin();
    refuse(it);
    it.answer();
    expect(await it.logged()).toBe(1);
  });

  test('no more than 1,000 of them are kept', async () => {
    const it = await Background.start();
    let most = 0;
    for (let id = 0; id < 5000; id++) {
      it.begin(String(id), { tabId: id % 50 });
      it.answer(String(id), {
        ...{ statusCode: 401, tabId: id % 50 },
        responseHeaders: [{ name: 'WWW-Authenticate', value: 'Basic' }],
      });
      if (id % 100 === 0) most = Math.max(most, entriesIn(it.beginnings['begun']));
    }
    // By its id, by its tab, and as refused.
    expect(most).toBeLessThanOrEqual(2050);
    expect(most).toBeGreaterThan(1000);
  });
});

test('what is only fetched ahead is forgotten once it is answered', async () => {
  const it = await Background.start();
  const before = entriesIn(it.beginnings['begun']);
  const ahead = { type: 'main_frame', documentLifecycle: 'active' };
  for (let id = 0; id < 20; id++) {
    it.begin(String(id), ahead);
    it.answer(String(id), ahead);
  }
  expect(entriesIn(it.beginnings['begun'])).toBe(before);
});
