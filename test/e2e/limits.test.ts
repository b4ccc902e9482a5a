import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { SecureSites } from './helpers/secure-sites';
import { SocksProxy } from './helpers/socks-proxy';
import { browsersOfRun, useWorld, World } from './helpers/world';

// docs/threat-model.md says so.
describe.each(browsersOfRun)('what Cointoss cannot prevent (%s)', (name) => {
  const world = useWorld(name);

  const serveSource = (id: number): string =>
    world.sites.serve('adtech', `/s${id}`, { headers: source(id, world.sites.origin('shop')) });

  it('a server that keeps connections open sees requests for attributionsrc of two sites on one of them', async () => {
    const sockets: Socket[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/ad') sockets.push(request.socket);
      response.end();
    });
    server.keepAliveTimeout = 60_000;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://ads.localhost:${(server.address() as AddressInfo).port}/ad`;
    for (const [index, site] of ['publisher', 'bank'].entries()) {
      await world.open(site, `<img attributionsrc="${url}">`);
      await waitFor('the request', () => sockets.length > index);
    }
    expect(sockets[1]).toBe(sockets[0]);
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  it('a server registers an ad that nobody saw, and a purchase that nobody made', async () => {
    const bought = world.sites.serve('adtech', '/bought', { headers: trigger(1) });
    await world.open('publisher', `<div hidden><img attributionsrc="${serveSource(1)}"></div>`);
    await world.open('shop', `<div hidden><img src="${bought}"></div>`);
    expect(await world.waitForRecorded(2)).toEqual([
      'event source 1 on publisher by adtech',
      'trigger 1 on shop by adtech',
    ]);
  });

  it('another extension has any page register anything', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-other-'));
    const manifest = {
      ...{ manifest_version: 3, name: 'Other', version: '1' },
      content_scripts: [{ matches: ['http://publisher.localhost/*'], js: ['other.js'] }],
      ...(name === 'firefox'
        ? { browser_specific_settings: { gecko: { id: 'other@cointoss.example' } } }
        : {}),
    };
    await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
    await writeFile(
      path.join(folder, 'other.js'),
      `const image = new Image(); image.setAttribute('attributionsrc', '${serveSource(2)}'); document.body.append(image);`,
    );
    const id = await world.browser.installExtension(folder);
    await world.open('publisher', '');
    expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by adtech']);
    await world.browser.uninstallExtension(id);
    await rm(folder, { recursive: true });
  });

  it('a person changes what was recorded', async () => {
    await world.open('publisher', `<img attributionsrc="${serveSource(3)}">`);
    await world.waitForRecorded(1);
    const page = await world.extension.page();
    await page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(new Error(String(request.error)));
        });
      const database = await done(indexedDB.open('cointoss'));
      const log = database.transaction('log', 'readwrite').objectStore('log');
      const [entry] = (await done(log.getAll())) as { readonly row: object }[];
      const visited = (contextOrigin: string, more: object): object => ({
        ...entry,
        ...more,
        row: { ...entry?.row, ...more, contextOrigin },
      });
      await done(log.put(visited('https://never-visited.example', {})));
      await done(log.put(visited('https://invented.example', { id: 1e6 })));
      database.close();
    });
    const found = (await world.extension.trace()).map(({ contextOrigin }) => contextOrigin);
    expect(found.sort()).toEqual(['https://invented.example', 'https://never-visited.example']);
  });
});

describe.each(browsersOfRun)('where the browser reveals no address (%s)', (name) => {
  const world = new World(name);
  let proxy: SocksProxy;
  let secure: SecureSites;
  beforeAll(async () => {
    [proxy, secure] = [await SocksProxy.start(), await SecureSites.start(name)];
    const behindProxy = { acceptInsecureCerts: true, extraPrefsFirefox: proxy.preferences };
    await world.start(name === 'chrome' ? SecureSites.launchOptions(name) : { puppeteer: behindProxy });
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([proxy.close(), secure.close()]);
  });

  // Chrome resolves no names for extensions, and has no option against this device alone. Firefox does not resolve what the proxy is to.
  it('a page reaches this device by another name with attributionsrc', async () => {
    const named = secure.serve('inside.example', source(1, 'https://shop.example'));
    const host = name === 'chrome' ? 'news.lan' : 'news.example';
    await world.visit(secure.page(host, `<img attributionsrc="${named}">`));
    await waitFor('the request', () => secure.received('inside.example') > 0);
    expect(await world.waitForRecorded(1)).toEqual(['event source 1 on news by inside']);
  });
});
