import 'fake-indexeddb/auto';
import browser from 'webextension-polyfill';
import type { Documents } from '../../../extension/background/documents/documents';
import { Navigations, type DecidedClick } from '../../../extension/background/documents/navigations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import { OwnRequests, type Begun } from '../../../extension/background/observe/own-requests';
import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
import { recordClick } from '../../../extension/background/observe/record-click';
import { WebRequests } from '../../../extension/background/observe/web-requests';
import type { Asked } from '../../../extension/background/state/asked';
import { Erasures } from '../../../extension/background/state/erasures';
import type { ErasingScope } from '../../../extension/erasing/scope';
import type { Origin } from '../../../src/model/units';
import { START } from '../helpers/engine';
import { newRecorder } from '../helpers/recorder';
import { newRecording } from '../helpers/recording';
import { endBackground, tell } from '../helpers/webextension';

const PIXEL = 'https://ads.example/pixel';
const HEADERS = { source: '{}', trigger: null, osSource: false, osTrigger: false, info: null };
const originOf = (site: string): Origin => `https://${site}.example` as Origin;

/** What is there besides the store. */
function world() {
  const erasures = new Erasures();
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, erasures);
  requests.listen();
  const sent: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const requestId = String(sent.length);
    sent.push(new URL(url as string).origin);
    requests.began({ requestId, url, originUrl: 'moz-extension://cointoss/' } as unknown as Begun);
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  });
  const erase = (scope: ErasingScope | null): void => {
    erasures.add(scope);
    requests.stopErased();
  };
  return { erasures, recording, recorded, requests, sent, erase };
}

beforeEach(() => {
  endBackground();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const passed = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

describe('a request for a page that is under way', () => {
  const forPage = (site: string, asked: Asked) =>
    ({
      ...{ contextOrigin: originOf(site), makers: [], tabId: 1 },
      ...{ eligibility: 'event-source-or-trigger' as const, asked },
    }) as const;

  test.each<[string, ErasingScope | null, readonly Origin[]]>([
    ['everything', null, []],
    ['its page', { kind: 'sites', sites: [originOf('news')] }, [originOf('blog')]],
    ['its server', { kind: 'sites', sites: [originOf('ads')] }, []],
    ['its time', { kind: 'time', from: START, to: START }, []],
    ['another time', { kind: 'time', from: 0, to: START - 1 }, [originOf('news'), originOf('blog')]],
  ])('is ended when %s is erased, and its answer registers nothing', async (_what, scope, left) => {
    const { erasures, requests, recorded, erase } = world();
    for (const site of ['news', 'blog']) void requests.make(PIXEL, forPage(site, erasures.asked(START)));
    await passed();
    erase(scope);
    for (const id of ['0', '1']) requests.responseTo(id, PIXEL, HEADERS, null);
    await passed();
    expect(recorded.pages).toEqual(left);
    const ended = jest.mocked(fetch).mock.calls.filter(([, init]) => init?.signal?.aborted === true);
    expect(ended).toHaveLength(2 - left.length);
    expect(recorded.refused).toEqual([]);
  });

  test('is not begun, nor a redirect followed, after an erasure', async () => {
    const { erasures, requests, sent, erase } = world();
    const asked = erasures.asked(START);
    void requests.make(PIXEL, forPage('news', asked));
    await passed();
    erase(null);
    requests.responseTo('0', PIXEL, null, 'https://hop.example/');
    void requests.make(PIXEL, forPage('blog', asked));
    await passed();
    expect(sent).toEqual(['https://ads.example']);
    void requests.make(PIXEL, forPage('blog', erasures.asked(START)));
    await passed();
    expect(sent).toHaveLength(2);
  });
});

describe('a click', () => {
  let presses = 0;

  /** A click that its navigation follows. */
  async function clicked(happens: (erase: (scope: ErasingScope | null) => void) => void, isLoaded: boolean) {
    const { erasures, requests, recording, sent, erase } = world();
    let stored: (all: Record<string, unknown>) => void = () => undefined;
    if (!isLoaded)
      jest
        .spyOn(browser.storage.session, 'get')
        .mockImplementationOnce(() => new Promise((resolve) => (stored = resolve)));
    const decided: DecidedClick[] = [];
    const memory = new SessionMemory();
    const navigations = new Navigations(memory, (one) => {
      decided.push(one);
      void recordClick(one, requests, recording, new NavigationAnswers()).catch(() => undefined);
    });
    navigations.listen();
    memory.turn(true);
    if (isLoaded) await memory.load();
    const [time, documentOrigin, url] = [Date.now(), originOf('news'), 'https://shop.example/'];
    navigations.clicked({
      ...{ place: { kind: 'known', contextOrigin: documentOrigin }, documentOrigin, documentId: 'page' },
      ...{ makers: [], around: null, url, tabId: 1, pageId: 'page', sources: [PIXEL], inMenu: false },
      ...{ press: ++presses, time, asked: erasures.asked(START) },
    });
    happens(erase);
    stored({});
    await passed();
    tell('beforeRequest', { requestId: 'n', tabId: 1, url, initiator: documentOrigin, timeStamp: time });
    await passed();
    expect(decided).toMatchObject([{ kind: 'followed' }]);
    return sent;
  }

  describe.each([
    ['waits for its navigation', true],
    ['waits until it is known which presses were followed', false],
  ])('that %s', (_what, isLoaded) => {
    test.each<[string, ErasingScope | null, number]>([
      ['everything', null, 0],
      ['its site', { kind: 'sites', sites: [originOf('news')] }, 0],
      ['another site', { kind: 'sites', sites: [originOf('blog')] }, 1],
    ])('asks for no source once %s is erased', async (_scope, scope, count) => {
      expect(await clicked((erase) => erase(scope), isLoaded)).toHaveLength(count);
    });
  });
});

describe('a request of a page that is under way', () => {
  const page = originOf('news');
  const requested = {
    ...{
      requestId: '1',
      url: PIXEL,
      tabId: 1,
      frameId: 0,
      documentId: 'page',
      initiator: page,
    },
    timeStamp: START + 0.25,
  };

  /** What the log has after one was answered that began before or after an erasure. */
  async function logged(type: string, scope: ErasingScope | null, isBefore: boolean) {
    jest.useRealTimers();
    const parts = await newRecorder(({ documents }) => ({
      documents: { ...documents, placeNow: () => ({ kind: 'known', contextOrigin: page }) },
    }));
    await parts.clock.setTo(START, true);
    const { erasures } = parts.inbox;
    const beginnings = new Beginnings(new SessionMemory());
    new WebRequests({
      badge: { answered: () => undefined, release: () => undefined },
      navigationAnswers: new NavigationAnswers(),
      ...{ beginnings, erasures, onUnused: () => undefined },
      navigations: { openerOf: () => null } as unknown as Navigations,
      ownRequests: { began: () => undefined, responseTo: () => false } as unknown as OwnRequests,
      documents: { answered: () => undefined, pageWith: () => null } as unknown as Documents,
      recording: Promise.resolve({ ...parts, attribution: undefined as never }),
    }).listen();
    await beginnings.loaded;
    const begin = (): void => tell('beforeRequest', { ...requested, type });
    if (isBefore) begin();
    await parts.inbox.erase(scope);
    if (!isBefore) begin();
    const responseHeaders = [{ name: 'Attribution-Reporting-Register-Trigger', value: '{}' }];
    tell('headersReceived', { ...requested, type, statusCode: 200, responseHeaders });
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    await parts.recorder.alone(() => Promise.resolve());
    return parts.store.newest('log', 9);
  }

  test.each<[string, string, ErasingScope | null, number]>([
    ['image', 'everything', null, 0],
    ['script', 'everything', null, 0],
    ['main_frame', 'everything', null, 0],
    ['sub_frame', 'everything', null, 0],
    ['image', 'its page', { kind: 'sites', sites: [page] }, 0],
    ['image', 'another page', { kind: 'sites', sites: [originOf('blog')] }, 1],
    // Nobody asks the browser when these begin.
    ['stylesheet', 'everything', null, 1],
  ])('for this type, %s, is answered after the person erased %s', async (type, _what, scope, entries) => {
    expect(await logged(type, scope, true)).toHaveLength(entries);
  });

  test('is answered after an erasure before which it had not begun', async () => {
    expect(await logged('image', null, false)).toHaveLength(1);
  });
});
