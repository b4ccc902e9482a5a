import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launch, waitFor, type Extension, type LaunchOptions } from './index';

/** Options of `launch`. The browser is Chrome, with a profile of its own. */
export type OwnOptions = Omit<Partial<LaunchOptions>, 'browser' | 'userDataDir'>;

/** A browser that another driver can join. */
export interface BrowserAtPort {
  readonly extension: Extension;
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
}

/** Calls `use` with a new browser. Afterwards the browser and its profile are gone, also if the browser did not start. */
export async function withBrowser(
  options: OwnOptions,
  use: (started: BrowserAtPort) => Promise<void>,
): Promise<void> {
  const profile = await mkdtemp(path.join(tmpdir(), 'cointoss-'));
  try {
    await withProfile(profile, options, use);
  } finally {
    // A browser that is just ending may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function withProfile(
  profile: string,
  options: OwnOptions,
  use: (started: BrowserAtPort) => Promise<void>,
): Promise<void> {
  const { puppeteer = {} } = options;
  const launched = await launch({
    ...options,
    browser: 'chrome',
    userDataDir: profile,
    // The kit drives the browser by a pipe, and the other driver by this port.
    puppeteer: { ...puppeteer, args: [...(puppeteer.args ?? []), '--remote-debugging-port=0'] },
  });
  try {
    await use({ extension: launched.extension, address: await addressIn(profile) });
  } finally {
    await launched.close();
  }
}

/** Where Chrome listens, as it writes into its profile. */
const addressIn = (profile: string): Promise<string> =>
  waitFor('the port of the browser', async () => {
    const text = await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
    const [port = ''] = text.split('\n');
    return port === '' ? null : `http://127.0.0.1:${port}`;
  });
