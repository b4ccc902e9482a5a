/**
 * `npx tsx integrations/wpt/run.ts WEB_TESTS [chrome|firefox] [PART_OF_NAME]`: runs Chromium's own browser tests of attribution reporting,
 * unchanged, against the built extension, and prints the outcome of each subtest.
 */
import { generateKeyPairSync } from 'node:crypto';
import {
  launch,
  type BrowserName,
  type Extension,
  type Launched,
  type LaunchOptions,
} from '../../scenarios/kit';
import { defaultSettings, type DebugSettings, type Settings } from '../../formats/settings/settings';
import { collectorHost, hasDebugCookie, notCounted, reasonOf } from './reasons';
import { subtestsOf, type Results, type Subtest } from './results';
import { HOSTS, TestServer } from './server';
import { findVariants, type Variant } from './tests';

/** How long one page may take, in ms. The longest of those that pass takes 8 s. */
const PAGE_TIMEOUT = 20_000;

/** As Chromium's --attribution-reporting-debug-mode. */
const debug: DebugSettings = {
  ...defaultSettings.debug,
  enabled: true,
  noise: false,
  delay: false,
  privateNetworks: true,
};

const settings: Partial<Settings> = {
  aggregatableReports: true,
  aggregationKeys: [{ id: 'wpt', key: newPublicKey() }],
  debug,
};

function newPublicKey(): string {
  const { x = '' } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}

/** How a browser finds the sites of the tests, whose certificate nobody signed. */
const optionsOf = (browser: BrowserName): LaunchOptions => ({
  browser,
  settings,
  puppeteer:
    browser === 'chrome'
      ? {
          acceptInsecureCerts: true,
          args: ['--host-resolver-rules=MAP *.test 127.0.0.1', '--disable-popup-blocking'],
        }
      : {
          acceptInsecureCerts: true,
          extraPrefsFirefox: {
            'network.dns.localDomains': HOSTS.join(','),
            'dom.disable_open_during_load': false,
          },
        },
});

async function main([webTests, ...words]: readonly string[]): Promise<void> {
  if (webTests === undefined) throw new Error('the first argument must be the folder web_tests of Chromium');
  const all: readonly BrowserName[] = ['chrome', 'firefox'];
  const named = all.filter((name) => words.includes(name));
  const part = words.find((word) => !all.some((name) => name === word)) ?? '';
  const variants = findVariants(webTests).filter(({ file, query }) => (file + query).includes(part));
  const server = await TestServer.start(webTests);
  try {
    for (const browser of named.length === 0 ? all : named) await runIn(browser, server, variants);
  } finally {
    await server.close();
  }
}

async function runIn(browser: BrowserName, server: TestServer, variants: readonly Variant[]): Promise<void> {
  const launched = await launch(optionsOf(browser));
  const outcomes: { readonly file: string; readonly outcome: 'passed' | 'explained' | 'failed' }[] = [];
  try {
    for (const variant of variants) {
      const need = notCounted(variant);
      if (need !== null) print(browser, variant, `not counted: it needs ${need}`);
      else
        for (const { name, passed, message } of await runVariant(launched, server, variant)) {
          const reason = passed ? null : reasonOf(variant, message);
          const outcome = passed ? 'passed' : reason === null ? 'failed' : 'explained';
          outcomes.push({ file: variant.file, outcome });
          const words = passed
            ? 'passed'
            : `${reason === null ? 'FAILED' : `failed (${reason})`}: ${name}: ${message}`;
          print(browser, variant, words);
        }
    }
  } finally {
    await launched.close();
  }
  const count = (file: string | null): string => {
    const all = outcomes.filter((one) => file === null || one.file === file);
    const of = (outcome: string): number => all.filter((one) => one.outcome === outcome).length;
    return `${of('passed')} of ${all.length} passed, ${of('explained')} failed for a known reason, ${of('failed')} for another`;
  };
  for (const file of new Set(outcomes.map((one) => one.file)))
    print(browser, { file, query: '' }, count(file));
  process.stdout.write(`${browser}: ${count(null)}\n`);
  if (outcomes.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
}

function print(browser: BrowserName, { file, query }: Variant, outcome: string): void {
  process.stdout.write(`${browser} ${file}${query} ${outcome}\n`);
}

/** Opens a page and resolves to its subtests; one that did not complete is a subtest that failed. */
async function runVariant(
  { browser, extension }: Launched,
  server: TestServer,
  variant: Variant,
): Promise<readonly Subtest[]> {
  const host = collectorHost(variant);
  await extension.settings({
    collector: host === null ? null : server.origin(host),
    debug: { ...debug, debugReports: hasDebugCookie(variant) },
  });
  await extension.clear();
  await browser.deleteCookie(...(await browser.cookies()));
  await server.forgetRequests();
  const others = new Set(await browser.pages());
  const page = await browser.newPage();
  try {
    await page.exposeFunction('cointossClick', (selector: string) => page.click(selector));
    await page.goto(server.origin('web-platform.test') + variant.file + variant.query, { waitUntil: 'load' });
    const results = await page.waitForSelector('#__testharness__results__', { timeout: PAGE_TIMEOUT });
    const text = (await results?.evaluate((element) => element.textContent)) ?? '';
    return subtestsOf(JSON.parse(text) as Results);
  } catch (error) {
    return [
      { name: 'the page', passed: false, message: `${String(error)}; ${await whatHappened(extension)}` },
    ];
  } finally {
    for (const opened of await browser.pages()) if (!others.has(opened)) await opened.close();
  }
}

/** What Cointoss recorded for a page that waited in vain. */
async function whatHappened(extension: Extension): Promise<string> {
  const [log, waiting, finished] = [
    await extension.trace(),
    await extension.reports(),
    await extension.finished(),
  ];
  return [
    ...log.map((entry) => `${entry.kind}: ${JSON.stringify('decision' in entry ? entry.decision : entry)}`),
    ...waiting.map(({ kind, attempts }) => `waiting: ${kind} ${JSON.stringify(attempts)}`),
    ...finished.map(({ report, end }) => `finished: ${report.kind} ${end}`),
  ].join('; ');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
