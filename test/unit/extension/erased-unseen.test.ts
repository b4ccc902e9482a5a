import 'fake-indexeddb/auto';
import browser from 'webextension-polyfill';
import type { Documents } from '../../../extension/background/documents/documents';
import type { Navigations } from '../../../extension/background/documents/navigations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
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
import { settled, useFakeTimers } from '../helpers/timers';

/*
 * An answer to a request whose beginning this run of the background did not see, or has forgotten.
 */

useFakeTimers();
beforeEach(() => new SessionMemory().turn(false));
afterEach(() => void jest.restoreAllMocks());

const NEWS = 'https://news.example' as Origin;
const PIXEL = 'https://ads.example/pixel';
const news: ErasingScope = { kind: 'sites', sites: [NEWS] };
const TRIGGER = { name: 'Attribution-Reporting-Register-Trigger', value: '{}' };

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
      badge: { answered: () => undefined, release: () => undefined },
      navigationAnswers: new NavigationAnswers(),
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

const redirected = { statusCode: 302, responseHeaders: [{ name: 'Location', value: PIXEL }] };

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

  test.each([
    ['the same', false],
    ['the next', true],
  ])(
    'after a failed read nothing of it counts, but what begins in %s background does',
    async (_which, next) => {
      const it = await Background.start();
      it.begin('1');
      await it.restart(true, () => undefined, Promise.reject(new Error('no storage')));
      if (next) await it.restart();
      it.answer('1');
      expect(await it.logged()).toBe(0);
      for (const [id, type] of [
        ['2', 'image'],
        ['3', 'main_frame'],
        ['4', 'sub_frame'],
      ] as const) {
        it.begin(id, { type });
        it.answer(id, { type });
      }
      expect(await it.logged()).toBe(3);
    },
  );
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
  const refuse = (it: Background, id = '1', more: object = {}, value = 'Basic realm="ads"'): void =>
    it.answer(id, { statusCode: 401, responseHeaders: [{ name: 'WWW-Authenticate', value }], ...more });

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

  describe('and the browser tells anew that the request begins, as Firefox does', () => {
    /** The browser asks again with the password. */
    const repeat = (it: Background): void => {
      it.begin('5');
      it.answer('5');
    };

    test.each(['Basic', 'Digest realm="ads"', 'NTLM', 'Bearer realm="ads", Negotiate'])(
      'after everything was erased and the background slept: %s',
      async (scheme) => {
        const it = await Background.start();
        it.begin('5');
        await it.erase(null);
        refuse(it, '5', {}, scheme);
        await it.restart();
        repeat(it);
        expect(await it.logged()).toBe(0);
      },
    );

    test('to the background after the next one, before which everything was erased', async () => {
      const it = await Background.start();
      it.begin('5');
      refuse(it, '5');
      await it.restart();
      await it.erase(null);
      await it.restart(true, () => it.begin('5'));
      it.answer('5');
      expect(await it.logged()).toBe(0);
    });

    test('after a background that had not seen it begin', async () => {
      const it = await Background.start();
      it.begin('5');
      await it.erase(null);
      await it.restart();
      refuse(it, '5');
      await it.restart();
      repeat(it);
      expect(await it.logged()).toBe(0);
    });

    test('which says nothing of the numbers after an erasure', async () => {
      const it = await Background.start();
      it.begin('5');
      it.begin('7');
      await it.erase(null);
      refuse(it, '5');
      await it.restart();
      it.begin('5');
      await it.restart();
      it.answer('7');
      expect(await it.logged()).toBe(0);
    });

    test.each<readonly [what: string, others: (it: Background, id: string) => void, left: number]>([
      ['images of another tab are refused', (it, id) => refuse(it, id, { tabId: 9 }), 0],
      ['images of its tab began', (it, id) => it.begin(id), 0],
    ])('after 1,001 %s', async (_what, others, left) => {
      const it = await Background.start();
      it.begin('5');
      await it.erase(null);
      refuse(it, '5');
      for (let id = 10; id < 1011; id++) others(it, String(id));
      repeat(it);
      expect(await it.logged()).toBe(left);
    });

    test('it counts if nothing was erased', async () => {
      const it = await Background.start();
      it.begin('5');
      refuse(it, '5');
      await it.restart();
      repeat(it);
      expect(await it.logged()).toBe(1);
    });
  });

  test.each([
    ['a request of a script', { type: 'xmlhttprequest' }, 'Basic'],
    ['an image whose server wants what no dialog asks for', {}, 'Bearer realm="not basic"'],
  ])('not kept: %s', async (_what, more, scheme) => {
    const it = await Background.start();
    const before = entriesIn(it.beginnings);
    for (let id = 0; id < 20; id++) {
      it.begin(String(id), more);
      tell('headersReceived', { ...request, ...more, requestId: String(id), ...redirected });
      refuse(it, String(id), more, scheme);
    }
    expect(entriesIn(it.beginnings)).toBe(before);
  });

  test('no more than 1,000 of them are kept, by however many backgrounds', async () => {
    const it = await Background.start();
    let id = 0;
    for (let run = 0; run < 4; run++) {
      for (let count = 0; count < 900; count++) {
        const more = { requestId: String(++id), tabId: id % 3 };
        it.begin(String(id), more);
        tell('headersReceived', { ...request, ...more, ...redirected });
        tell('beforeRedirect', { ...request, ...more });
        refuse(it, String(id), more);
      }
      await settled();
      const stored = Object.keys(await browser.storage.session.get(null)).length;
      expect(stored).toBeGreaterThanOrEqual(run === 0 ? 900 : 1000);
      expect(stored).toBeLessThanOrEqual(1001);
      await it.restart();
    }
    const maker = { tabId: 1, documentId: 'page', origin: null };
    it.begin('9999');
    expect(it.beginnings.answered('9999', PIXEL, 'last', maker, true).kind).toBe('known');
  });
});

describe('of a tab of which requests are forgotten', () => {
  const others = { tabId: 1, documentId: undefined };
  const forget = (it: Background): void => {
    for (let id = 1000; id < 5000; id++)
      it.beginnings.answered(String(id), PIXEL, 'redirect', { ...others, origin: null });
  };
  const navigate = (it: Background, id: string): void => {
    const more = { ...others, type: 'main_frame' };
    it.begin(id, more);
    it.answer(id, more);
  };

  test.each([false, true])('what begins after an erasure counts (erased: %s)', async (isErased) => {
    const it = await Background.start();
    forget(it);
    if (isErased) await it.erase(null);
    for (const id of ['5002', '5003', '5004']) navigate(it, id);
    expect(await it.logged()).toBe(3);
  });

  test('what begins in the next background may be a redirect, and counts once another tab began a request', async () => {
    const it = await Background.start();
    forget(it);
    await it.erase(null);
    await it.restart();
    navigate(it, '5002');
    expect(await it.logged()).toBe(0);
    it.begin('5003', { tabId: 2 });
    navigate(it, '5004');
    expect(await it.logged()).toBe(1);
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
