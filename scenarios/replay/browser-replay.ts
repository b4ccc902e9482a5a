import type { Replayed, Scenario } from '../../analysis/scenario/scenario';
import { launch, type BrowserName, type Launched } from '../kit';
import { requireBrowserCan } from './in-browser';
import { OwnCollector } from './own-collector';
import { OwnWeb, type WebReply, type WebRequest } from './own-web';
import { BrowserRun, type BrowserReplayOptions, type Stage } from './run';

/** Replays scenarios one after the other in one browser. */
export class BrowserReplay {
  private run: BrowserRun | null = null;
  private launched: Launched | null = null;
  private stage: Stage | null = null;

  private constructor(private readonly web: OwnWeb) {}

  static async start(browser: BrowserName): Promise<BrowserReplay> {
    const answer = async (request: WebRequest): Promise<WebReply> =>
      (await replay.run?.answer(request)) ?? { status: 404 };
    const replay: BrowserReplay = new BrowserReplay(await OwnWeb.start(answer));
    try {
      replay.launched = await launch({ browser, puppeteer: throughProxy(replay.web.proxyPort) });
      const page = await replay.launched.browser.newPage();
      await page.bringToFront();
      replay.stage = { extension: replay.launched.extension, page, collector: new OwnCollector() };
      return replay;
    } catch (error) {
      await replay.close();
      throw error;
    }
  }

  /**
   * Like the engine's `replay` and `replayCalls`, with real page loads, clicks and reports.
   * @throws ScenarioError when a browser cannot do what the scenario asks, or its own configuration does not allow it.
   */
  async replay(scenario: Scenario, options: BrowserReplayOptions): Promise<Replayed> {
    if (this.stage === null) throw new Error('the browser is closed');
    requireBrowserCan(scenario);
    this.run = new BrowserRun(scenario, options, this.stage);
    return this.run.play();
  }

  async close(): Promise<void> {
    this.stage = null;
    await this.launched?.close();
    this.web.close();
  }
}

function throughProxy(port: number): NonNullable<Parameters<typeof launch>[0]['puppeteer']> {
  const host = '127.0.0.1';
  return {
    acceptInsecureCerts: true,
    args: [
      `--proxy-server=http://${host}:${port}`,
      // Sends requests to this device through the proxy too.
      '--proxy-bypass-list=<-loopback>',
      // `acceptInsecureCerts` covers pages only, not the extension's requests.
      '--ignore-certificate-errors',
      // Otherwise each page starts a new process, which takes most of the time.
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
    ],
    extraPrefsFirefox: {
      'network.proxy.type': 1,
      'network.proxy.http': host,
      'network.proxy.http_port': port,
      'network.proxy.ssl': host,
      'network.proxy.ssl_port': port,
      'network.proxy.no_proxies_on': '',
      'network.proxy.allow_hijacking_localhost': true,
    },
  };
}
