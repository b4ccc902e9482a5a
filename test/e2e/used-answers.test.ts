import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { ScriptedServer, type ScriptedAnswer } from './helpers/scripted-server';
import { browsers, browsersOfRun, isLong, useWorld, type World } from './helpers/world';

const VIEWS = isLong ? 3 : 2;
const script = (code: string): string => `<script>${code}</script>`;

/** What a request asks for, and the type of what it gets. */
const ways: Readonly<Record<string, readonly [html: (url: string) => string, type: string]>> = {
  // With an empty body, Firefox asks twice.
  image: [(url) => `<img src="${url}">`, 'image/svg+xml'],
  script: [(url) => `<script src="${url}"></script>`, 'text/javascript'],
  style: [(url) => `<link rel="stylesheet" href="${url}">`, 'text/css'],
  frame: [(url) => `<iframe src="${url}"></iframe>`, 'text/html'],
  fetch: [(url) => script(`fetch('${url}')`), 'text/plain'],
  worker: [
    (url) =>
      script(`new Worker(URL.createObjectURL(new Blob(["fetch('${url}')"], { type: 'text/javascript' })))`),
    'text/plain',
  ],
};

/** A picture, and no mistake as a script, a style sheet or a page. */
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
const etag = { ETag: '"a"', 'Cache-Control': 'no-cache' };

/** What a server answers. Each has a header whenever the page gets an answer that has one. */
const answers: Readonly<Record<string, (isRepeated: boolean, headers: object) => ScriptedAnswer>> = {
  '200': (_, headers) => ({ body: picture, headers: { 'Cache-Control': 'no-store', ...headers } }),
  '304 with the header': (isRepeated, headers) => ({
    ...(isRepeated ? { status: 304 } : { body: picture }),
    headers: { ...etag, ...headers },
  }),
  '304 without the header': (isRepeated, headers) =>
    isRepeated ? { status: 304, headers: etag } : { body: picture, headers: { ...etag, ...headers } },
  cached: (_, headers) => ({ body: picture, headers: { 'Cache-Control': 'max-age=600', ...headers } }),
};

const corsAnswer = (status: number): ScriptedAnswer => ({
  status,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Allow-Methods': '*',
    // Else one answer may serve the requests after it.
    'Access-Control-Max-Age': '0',
    ...trigger(7),
  },
});

function usedAnswers(world: World): void {
  let server: ScriptedServer;
  const kinds = Object.keys(answers).flatMap((answer) =>
    Object.keys(ways).map((way) => [answer, way] as const),
  );

  beforeAll(async () => {
    server = await ScriptedServer.start('adtech', (path, { method, headers }) => {
      if (path.startsWith('/cors'))
        return corsAnswer(path === '/cors?204' && method === 'OPTIONS' ? 204 : 200);
      const [answer = '', way = ''] = kinds[Number(path.slice(2))] ?? [];
      const isRepeated = headers['if-none-match'] !== undefined;
      return (
        answers[answer]?.(isRepeated, {
          'Access-Control-Allow-Origin': '*',
          'Content-Type': ways[way]?.[1] ?? '',
          ...trigger(Number(path.slice(2))),
        }) ?? { status: 404 }
      );
    });
  });
  afterAll(() => server.close());

  const counts = async (): Promise<number[]> => {
    const all = new Array<number>(kinds.length).fill(0);
    for (const entry of await world.recorded()) {
      const id = Number(/^trigger (\d+) on shop/.exec(entry)?.[1]);
      all[id] = (all[id] ?? 0) + 1;
    }
    return all;
  };

  it('whatever the server answers', async () => {
    const html = kinds.map(([, way], id) => ways[way]?.[0](`${server.origin}/a${id}`) ?? '').join('\n');
    const url = world.sites.page('shop', html);
    const page = await world.visit(url);
    for (let view = 1; view < VIEWS; view++) {
      await sleep(1500);
      await page.goto('about:blank');
      await page.goto(url);
    }
    const isCached = kinds.map(([answer]) => answer === 'cached');
    const areThere = async (): Promise<boolean> =>
      (await counts()).every((count, id) => count >= (isCached[id] === true ? 1 : VIEWS));
    await waitFor('all of them', areThere).catch(() => undefined);
    // None may come twice.
    await sleep(1000);
    const found = await counts();
    // A browser takes some answers from its memory, and then reports no request.
    const expected = isCached.map((cached, id) =>
      cached ? Math.min(Math.max(found[id] ?? 0, 1), VIEWS) : VIEWS,
    );
    const named = (all: readonly number[]): object =>
      Object.fromEntries(kinds.map(([answer, way], id) => [`${answer}, ${way}`, all[id]]));
    expect(named(found)).toEqual(named(expected));
  });

  it('registers nothing of a CORS preflight', async () => {
    await world.open(
      'shop',
      script(`for (const path of ['/cors?200', '/cors?204']) {
        fetch('${server.origin}' + path, { headers: { 'X-Test': '1' } });
        fetch('${server.origin}' + path, { method: 'PUT' });
        const it = new XMLHttpRequest(); it.open('DELETE', '${server.origin}' + path); it.send();
      }`),
    );
    const preflights = (): number => server.received.filter(({ method }) => method === 'OPTIONS').length;
    await world.waitForRecorded(6);
    await sleep(500);
    expect(await world.recorded()).toHaveLength(6);
    expect(preflights()).toBe(6);
  });
}

function notRepeated(world: World): void {
  const triesAll = browsersOfRun.includes(world.name);
  let server: ScriptedServer;
  /** Each try has an empty cache. */
  let visited = 0;
  const body = (): string => `<img src="${world.sites.serve('adtech', '/pixel', { headers: trigger(1) })}">`;
  beforeAll(async () => {
    server = await ScriptedServer.start('news', (path, { headers }) => {
      const isRepeated = headers['if-none-match'] !== undefined;
      if (path.startsWith('/moved'))
        return { status: isRepeated ? 304 : 301, headers: { ...etag, ...trigger(2), Location: '/end' } };
      if (path.startsWith('/element')) {
        const ofElement = source(path.endsWith('repeated') ? 6 : 5, world.sites.origin('shop'));
        if (!isRepeated)
          return { headers: { ...etag, ...ofElement, 'Content-Type': 'image/svg+xml' }, body: picture };
        return { status: 304, headers: path.endsWith('repeated') ? { ...etag, ...ofElement } : etag };
      }
      if (path === '/end') return { headers: { 'Cache-Control': 'no-store', ...trigger(3) } };
      const registers = path.includes('registers') ? trigger(4) : {};
      if (isRepeated) return { status: 304, headers: { ...etag, ...registers } };
      const policy = path.includes('forbids') ? { 'Permissions-Policy': 'attribution-reporting=()' } : {};
      return {
        headers: { ...etag, ...registers, ...policy, 'Content-Type': 'text/html' },
        body: path.includes('moves')
          ? '<img src="/moved">'
          : path.includes('elements')
            ? '<img attributionsrc src="/element"><img attributionsrc src="/element-repeated">'
            : body(),
      };
    });
  });
  afterAll(() => server.close());

  const visits = async (path: string): Promise<string[]> => {
    const page = await world.visit(server.origin + path);
    await page.goto('about:blank');
    await page.goto(server.origin + path);
    await sleep(2000);
    return world.recorded();
  };

  // Firefox reports a 304 with a registration header, and then the cached answer with the policy.
  it.each(triesAll ? ['/forbids', '/forbids-and-registers'] : ['/forbids-and-registers'])(
    'a Permissions Policy (%s)',
    async (path) => {
      expect(await visits(`${path}?${++visited}`)).toEqual([]);
    },
  );

  /** None may come more than once in each of two views. */
  const expectTwice = async (path: string, ...entries: readonly string[]): Promise<void> => {
    await visits(path);
    const counts = async (): Promise<readonly number[]> => {
      const all = await world.recorded();
      return entries.map((begins) => all.filter((entry) => entry.startsWith(begins)).length);
    };
    await waitFor('both views', async () => (await counts()).every((count) => count >= 2)).catch(
      () => undefined,
    );
    expect(await counts()).toEqual(entries.map(() => 2));
  };

  if (triesAll)
    it('a page’s own trigger, in each view', () => expectTwice(`/registers?${++visited}`, 'trigger 4'));

  it('an element’s source, in each view', () =>
    expectTwice(`/shows-elements?${++visited}`, 'event source 5', 'event source 6'));

  it('the answer after a redirect', async () => {
    await visits('/moves');
    const ofEnd = async (): Promise<number> =>
      (await world.recorded()).filter((entry) => entry.startsWith('trigger 3')).length;
    await waitFor('both answers', async () => (await ofEnd()) >= 2);
    expect(await ofEnd()).toBe(2);
    expect(server.received.filter(({ path }) => path === '/end')).toHaveLength(2);
  });
}

const suggestions: Readonly<Record<string, (url: string) => string>> = {
  'a link for prefetch': (url) => `<link rel="prefetch" href="${url}">`,
  'a rule for prefetch': (url) => speculation('prefetch', url),
  'a rule for prerender': (url) => speculation('prerender', url),
};
const speculation = (kind: string, url: string): string =>
  `<script type="speculationrules">${JSON.stringify({ [kind]: [{ urls: [url], eagerness: 'immediate' }] })}</script>`;

function gotAhead(world: World): void {
  const { name } = world;
  let pages = 0;

  it.each(
    Object.keys(suggestions).flatMap((suggestion) =>
      (isLong ? ['no-store', 'max-age=600', 'no-cache'] : ['max-age=600']).map(
        (cache) => [suggestion, cache] as const,
      ),
    ),
  )('by %s, with Cache-Control: %s', async (suggestion, cache) => {
    const headers = { 'Content-Type': 'text/html', 'Cache-Control': cache, ETag: '"a"', ...trigger(1) };
    const path = `/next-${++pages}`;
    const next = world.sites.serve('publisher', path, { headers, body: 'next' });
    const page = await world.open(
      'publisher',
      `<a href="${next}">next</a>${suggestions[suggestion]?.(next) ?? ''}`,
    );
    // Before it, Firefox gets nothing by rules.
    if (name === 'chrome' || suggestion === 'a link for prefetch')
      await waitFor('the request', () => Promise.resolve(world.sites.received('publisher', path).length > 0));
    await sleep(1000);
    expect(await world.recorded()).toEqual([]);
    // No wait for the navigation: puppeteer may take an activated page for a detached frame.
    await page.click('a');
    await world.waitForRecorded(1);
    await sleep(500);
    expect(await world.recorded()).toEqual(['trigger 1 on publisher by publisher']);
  });
}

describe.each(browsers)('%s', (name) => {
  // One for all, because it costs a second of processor time.
  const world = useWorld(name);

  describe('an answer that a page uses counts once', () => {
    usedAnswers(world);
  });
  describe('what a 304 does not repeat still holds', () => {
    notRepeated(world);
  });
  // Firefox has neither speculation rules nor prerendering: there, such a page is like any other.
  if (browsersOfRun.includes(name))
    describe('a page that the browser gets ahead counts once it is shown', () => {
      gotAhead(world);
    });
});
