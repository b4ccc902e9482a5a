import type { Origin } from '../../src/model/units';
import type { Place } from '../../src/model/requests';
import { Documents, type Maker } from '../../extension/background/documents';
import { PermissionsPolicies } from '../../extension/background/permissions-policies';
import { SessionMemory } from '../../extension/background/session-memory';
import { endBackground, tell } from './helpers/webextension';

const NEWS = 'https://news.example' as Origin;
const SHOP = 'https://shop.example' as Origin;
const AD = 'https://ad.example' as Origin;
const BIDDER = 'https://bidder.example' as Origin;
const OTHERWISE = 'https://tracker.example' as Origin;
const NOBODY = 'attribution-reporting=()';
const NONE = "attribution-reporting 'none'";

interface Background {
  readonly documents: Documents;
  readonly policies: PermissionsPolicies;
}

function wake(): Background {
  const memory = new SessionMemory();
  const policies = new PermissionsPolicies(memory);
  const documents = new Documents(policies, memory);
  documents.listen();
  documents.turn(true);
  return { documents, policies };
}

/** A new browser: the background starts for the first time. */
async function begin(): Promise<Background> {
  endBackground();
  new SessionMemory().turn(false);
  await Promise.resolve();
  return wake();
}

async function sleepAndWake(): Promise<Background> {
  endBackground();
  await settled();
  return wake();
}

/** What was told has arrived. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const commitPage = (documentId: string, url: string, tabId = 1, more: Partial<Maker> = {}): void =>
  tell('committed', { documentId, url, tabId, frameId: 0, ...more });

const commitFrame = (documentId: string, parentDocumentId: string, frameId: number, url: string): void => {
  tell('beforeNavigate', { tabId: 1, frameId, url });
  tell('committed', { documentId, parentDocumentId, url, tabId: 1, frameId });
};

const page = (documentId: string, documentOrigin: Origin, tabId = 1): Maker => ({
  documentId,
  documentOrigin,
  tabId,
  frameId: 0,
  parentFrameId: -1,
});

const frame = (documentId: string, parentDocumentId: string, frameId: number, origin = AD): Maker => ({
  documentId,
  parentDocumentId,
  frameId,
  tabId: 1,
  parentFrameId: 0,
  documentOrigin: origin,
});

const worker = (documentOrigin: Origin): Maker => ({
  documentOrigin,
  tabId: -1,
  frameId: -1,
  parentFrameId: -1,
});

/** A page with a frame that it forbids to register. */
async function beginWithForbidden(): Promise<Background> {
  const background = await begin();
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, `${AD}/ad`);
  const document = await background.documents.find('page');
  if (document === undefined) throw new Error('no page');
  background.policies.contained(document, `${AD}/ad`, NONE);
  return background;
}

const forbidden: Place = { contextOrigin: NEWS, obstacle: 'permissions-policy' };

describe('a request that the browser tells of before its document', () => {
  it.each<readonly [string, Partial<Maker>]>([
    ['a page', {}],
    ['a page that Chrome prepares', { frameId: 7, documentLifecycle: 'prerender' }],
  ])('waits for the policy of %s', async (_what, more) => {
    const { documents, policies } = await begin();
    policies.declared(1, more.frameId ?? 0, `${NEWS}/`, NOBODY);
    const asking = documents.placeOf({ ...page('page', NEWS), ...more }, OTHERWISE);
    await settled();
    commitPage('page', `${NEWS}/`, 1, more);
    commitPage('page', `${NEWS}/`, 1);
    expect(await asking).toEqual(forbidden);
  });

  it('waits for the page of a frame', async () => {
    const { documents } = await begin();
    const asking = documents.placeOf(frame('ad', 'page', 10), OTHERWISE);
    await settled();
    commitPage('page', NEWS);
    commitFrame('ad', 'page', 10, AD);
    expect(await asking).toEqual({ contextOrigin: NEWS, obstacle: null });
  });

  it('does not wait for a response to tell which document has a frame', async () => {
    const { documents } = await begin();
    commitPage('page', NEWS);
    const start = performance.now();
    expect(await documents.committed('page')).toMatchObject({ url: NEWS });
    expect(performance.now() - start).toBeLessThan(400);
    expect(await documents.find('page')).toMatchObject({ url: NEWS });
    expect(performance.now() - start).toBeGreaterThan(400);
  });

  it('waits no longer where many of its tab wait, and leaves room for those of other tabs', async () => {
    const { documents, policies } = await begin();
    policies.declared(2, 0, NEWS, NOBODY);
    const start = performance.now();
    const flood = Array.from({ length: 1000 }, () => documents.placeOf(frame('none', 'page', 10), OTHERWISE));
    const asking = documents.placeOf(page('other', NEWS, 2), OTHERWISE);
    expect(await flood.at(-1)).toEqual({ contextOrigin: AD, obstacle: 'page-unknown' });
    expect(performance.now() - start).toBeLessThan(500);
    commitPage('other', NEWS, 2);
    expect(await asking).toEqual(forbidden);
    await Promise.all(flood);
  });

  it('lets no more than two megabytes of headers wait, half of them for one tab', async () => {
    const { documents } = await begin();
    const size = 250_000;
    const start = performance.now();
    const waits = await Promise.all(
      Array.from({ length: 8 }, async () => {
        await documents.placeOf({ ...frame('none', 'page', 10), size }, OTHERWISE);
        return performance.now() - start > 500;
      }),
    );
    expect(waits).toEqual([true, true, true, true, false, false, false, false]);
  });

  it('does not wait in a fresh frame, of which browsers do not tell', async () => {
    const { documents } = await begin();
    commitPage('page', NEWS);
    const start = performance.now();
    expect(await documents.placeOf(frame('blank', 'page', 10, NEWS), OTHERWISE)).toEqual({
      contextOrigin: NEWS,
      obstacle: null,
    });
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe('a frame that its page forbids to register', () => {
  const ask = ({ documents }: Background, id = 'ad'): Promise<Place> =>
    documents.placeOf(frame(id, 'page', 10), OTHERWISE);

  it('may not do so from another document of its own, also after the background slept', async () => {
    const first = await beginWithForbidden();
    expect(await ask(first)).toEqual(forbidden);
    commitFrame('second', 'page', 10, `${AD}/second`);
    expect(await ask(first, 'second')).toEqual(forbidden);
    const next = await sleepAndWake();
    commitFrame('third', 'page', 10, `${AD}/third`);
    expect(await ask(next, 'third')).toEqual(forbidden);
    expect(await ask(await sleepAndWake(), 'third')).toEqual(forbidden);
  });

  it.each([600, 6000])('may not do so after it has made %i frames', async (count) => {
    const background = await beginWithForbidden();
    for (let id = 0; id < count; id++) commitFrame(`in ${id}`, 'ad', 100 + id, `${AD}/in`);
    expect((await ask(background)).obstacle).not.toBeNull();
    commitFrame('second', 'page', 10, `${AD}/second`);
    expect(await ask(background, 'second')).toEqual(forbidden);
  });

  it('may not do so when a script of the page has made many frames with an attribute', async () => {
    const background = await beginWithForbidden();
    background.policies.declared(1, 0, NEWS, NOBODY);
    const document = await background.documents.find('page');
    if (document === undefined) throw new Error('no page');
    for (let id = 0; id < 600; id++)
      background.policies.contained(document, `${AD}/${id}`, 'attribution-reporting *');
    expect(await background.documents.placeOf(page('page', NEWS), OTHERWISE)).toEqual(forbidden);
  });

  it('may not do so because another frame with its URL may', async () => {
    const background = await beginWithForbidden();
    const document = await background.documents.find('page');
    if (document === undefined) throw new Error('no page');
    background.policies.contained(document, `${AD}/ad`, 'attribution-reporting *');
    expect(await ask(background)).toEqual(forbidden);
  });
});

it('a frame that a frame forbids to register may not do so after it has made 600 frames with policies', async () => {
  const { documents, policies } = await begin();
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, AD);
  commitFrame('bidder', 'ad', 11, BIDDER);
  policies.declared(1, 10, AD, 'attribution-reporting=(self)');
  const maker = frame('bidder', 'ad', 11, BIDDER);
  expect(await documents.placeOf(maker, OTHERWISE)).toEqual(forbidden);
  for (let id = 0; id < 600; id++) policies.declared(1, 100 + id, BIDDER, 'attribution-reporting=*');
  expect((await documents.placeOf(maker, OTHERWISE)).obstacle).not.toBeNull();
});

describe('what a page asked for before it was left', () => {
  it('is known of the last hundred pages of a tab, and of those of other tabs', async () => {
    const { documents } = await begin();
    commitPage('of another tab', `${NEWS}/`, 2);
    commitPage('left there', `${NEWS}/`, 3);
    commitPage('next there', `${AD}/`, 3);
    for (let number = 0; number <= 150; number++) commitPage(`page ${number}`, `${NEWS}/`);
    await settled();
    const ids = ['page 49', 'page 50', 'page 150', 'of another tab', 'left there'];
    const found = await Promise.all(ids.map((id) => documents.committed(id)));
    expect(found.map((one) => one?.id)).toEqual([undefined, ...ids.slice(1)]);
  });

  it('is known although the device’s clock is set forward', async () => {
    const { documents } = await begin();
    commitPage('page', `${NEWS}/`);
    commitPage('next', `${SHOP}/`);
    await settled();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    commitPage('last', `${SHOP}/`);
    await settled();
    now.mockRestore();
    expect((await documents.committed('page'))?.id).toBe('page');
  });

  it('is forgotten after some minutes although the device’s clock was set back while the background slept', async () => {
    const passed = performance.now();
    const begun = await begin();
    commitPage('page', `${NEWS}/`);
    commitPage('next', `${SHOP}/`);
    await begun.documents.committed('next');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(passed - 3_600_000);
    const { documents } = await sleepAndWake();
    expect((await documents.committed('page'))?.id).toBe('page');
    clock.mockReturnValue(passed - 3_600_000 + 6 * 60_000);
    commitPage('last', `${SHOP}/`);
    expect((await documents.committed('last'))?.id).toBe('last');
    clock.mockRestore();
    expect(await documents.committed('page')).toBeUndefined();
  });

  it('obeys its policy when the answer comes after its tab was closed', async () => {
    const { documents, policies } = await begin();
    policies.declared(1, 0, NEWS, NOBODY);
    commitPage('page', NEWS);
    tell('removed', 1);
    expect(await documents.placeOf(page('page', NEWS), OTHERWISE)).toEqual(forbidden);
    // Chrome names no tab any more.
    expect(await documents.placeOf(worker(NEWS), OTHERWISE)).toEqual(forbidden);
  });

  it('obeys its policy where the browser does not name its document', async () => {
    const { documents, policies } = await begin();
    policies.declared(1, 0, NEWS, NOBODY);
    commitPage('page', NEWS);
    commitPage('next', SHOP);
    const unnamed: Maker = { documentOrigin: NEWS, tabId: 1, frameId: 0, parentFrameId: -1 };
    expect(await documents.placeOf(unnamed, OTHERWISE)).toEqual(forbidden);
    expect(await documents.placeOf({ ...unnamed, documentOrigin: SHOP }, OTHERWISE)).toEqual({
      contextOrigin: SHOP,
      obstacle: null,
    });
  });
});

it('tells the URLs around a document, but for those without a server', async () => {
  const { documents } = await begin();
  commitPage('page', `${NEWS}/`);
  commitFrame('ad', 'page', 10, `${AD}/ad`);
  commitFrame('written', 'ad', 11, 'about:srcdoc');
  await documents.committed('written');
  expect(documents.urlsAround('written')).toEqual([`${AD}/ad`, `${NEWS}/`]);
});

it('a tab that is closed while the background sleeps takes no worker’s requests', async () => {
  await begin();
  commitPage('closed', SHOP, 2);
  tell('committed', { documentId: 'in closed', parentDocumentId: 'closed', url: AD, tabId: 2, frameId: 20 });
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, AD);
  const { documents } = await sleepAndWake();
  tell('removed', 2);
  expect(await documents.placeOf(worker(AD), OTHERWISE)).toEqual({ contextOrigin: NEWS, obstacle: null });
});
