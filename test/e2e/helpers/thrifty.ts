import type { LaunchOptions } from '../../../scenarios/kit';

type Thrifty = NonNullable<LaunchOptions['puppeteer']> & { readonly networkEnabled: boolean };

/** Tabs, tool bars and a graphics process take a fifth of the processor time of Chrome, and no test looks at them. */
const chrome = ['--start-fullscreen', '--disable-gpu'];

/**
 * Firefox would start a process for each tab that a test opens, which is a fifth of what a visit costs; and it would draw tabs and tool bars
 * sixty times a second, which is a tenth of its processor time.
 */
const firefox = {
  'dom.ipc.keepProcessesAlive.web': 4,
  'layout.frame_rate': 10,
  'ui.prefersReducedMotion': 1,
};

/**
 * Options of puppeteer with which a test takes less processor time. It is not told of requests, which cost a tenth; a test that listens for
 * them needs `networkEnabled: true`, and fails without (watched-requests.ts).
 */
export function thrifty({ browser, headless, puppeteer = {} }: LaunchOptions): Thrifty {
  const { args = [], extraPrefsFirefox, ...own } = puppeteer;
  const quiet = { networkEnabled: false, ...own };
  if (browser === 'firefox') return { ...quiet, extraPrefsFirefox: { ...firefox, ...extraPrefsFirefox } };
  return { ...quiet, args: headless === false ? args : [...chrome, ...args] };
}
