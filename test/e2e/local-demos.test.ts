import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BrowserName, LaunchOptions } from '../../scenarios/kit';
import { answerWith, type Reply } from '../../scenarios/kit/reply';
import { selfSigned } from '../unit/helpers/self-signed';
import { openView, textOf } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

/*
 * The local set-up of the Privacy Sandbox demos: names of their own that lead to this device, over https, with a certificate that the machine
 * made. By name, the pages come from outside, so Cointoss requests no `attributionsrc="URL"` of theirs (docs/requests.md, "Private networks").
 */

const NEWS = 'privacy-sandbox-demos-news.dev';
const SHOP = 'privacy-sandbox-demos-shop.dev';
const DSP = 'privacy-sandbox-demos-dsp.dev';
const HOSTS = [NEWS, SHOP, DSP];
const REPORTS = '/.well-known/attribution-reporting/report-event-attribution';

const optionsOf = (browser: BrowserName): Partial<LaunchOptions> => ({
  puppeteer: {
    acceptInsecureCerts: true,
    networkEnabled: true,
    ...(browser === 'chrome'
      ? { args: ['--host-resolver-rules=MAP *.dev 127.0.0.1'] }
      : { extraPrefsFirefox: { 'network.dns.localDomains': HOSTS.join(',') } }),
  },
});

describe.each(browsersOfRun)('demos on names of this device (%s)', (name) => {
  const world = useWorld(name, optionsOf(name));
  const replies = new Map<string, Reply>();
  const received: string[] = [];
  const server = createServer(selfSigned(NEWS), (request, response) => {
    const asked = `${request.headers.host?.split(':')[0]}${request.url}`;
    received.push(asked);
    void answerWith(request, response, () => Promise.resolve(replies.get(asked) ?? { status: 404 }));
  });
  const originOf = (host: string): string =>
    `https://${host}:${(server.address() as AddressInfo | null)?.port}`;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const [path, headers] of [
      ['/source', source(1, originOf(SHOP))],
      ['/trigger', trigger(0)],
    ] as const) {
      replies.set(DSP + path, { headers });
      replies.set((path === '/source' ? NEWS : SHOP) + '/', {
        headers: { 'Content-Type': 'text/html' },
        body: `<!doctype html><link rel="icon" href="data:,"><img attributionsrc="${originOf(DSP)}${path}">`,
      });
    }
    replies.set(DSP + REPORTS, {});
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  it('register nothing, and the error of the kit and the page of the entry name the private network', async () => {
    received.length = 0;
    await world.visit(`${originOf(NEWS)}/`);
    await expect(world.extension.waitForSources(1, { timeout: 100_000, interval: 20 })).rejects.toThrow(
      /in vain: response on .*-news\.dev:\d+ by .*-dsp\.dev:\d+: ignored, because .*this device(, a private network or a proxy| or a private network), and the page comes from outside.* \(debug mode can allow that\)/,
    );
    // Chrome connects, and then sends nothing.
    expect(received).toEqual([`${NEWS}/`]);
    const [entry] = await world.extension.trace();
    const page = await openView(world.extension, `#/log/${entry?.id}`, '#why-sentence');
    expect(await textOf(page, '#why-sentence')).toMatch(/this device.*a private network/);
  });

  itInSoak('register and report with the switch of debug mode', async () => {
    const { debug } = await world.extension.settings();
    await world.extension.settings({ debug: { ...debug, privateNetworks: true } });
    await world.visit(`${originOf(NEWS)}/`);
    expect(await world.extension.waitForSources(1)).toMatchObject([{ reportingOrigin: originOf(DSP) }]);
    received.length = 0;
    await world.visit(`${originOf(SHOP)}/`);
    await world.extension.waitForReport();
    await world.extension.deliverAll();
    expect(received).toEqual([`${SHOP}/`, `${DSP}/trigger`, DSP + REPORTS]);
  });
});
