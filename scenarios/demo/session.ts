import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Page } from 'puppeteer-core';
import { defaultSettings } from '../../formats/settings/settings';
import { root } from '../../node/root';
import { epsilon } from '../../src/model/units';
import { waitFor, type BrowserName, type SourceRow } from '../kit';
import { HANG_MS } from '../kit/driver';
import { entryText } from '../kit/entry-text';
import { shootInto } from './shoot';
import { startWorld, type World } from './world';

/*
 * `npm run session`: an impression, a conversion, its sealed report and the noisy sum of W3C Attribution, and then the lift of a test whose arms the
 * device draws, each with its reasons (docs/session.md).
 */

/** Each has an arm of its own, by the seed. */
const PEOPLE = 24;
/** Of the exposed arm, and of the holdout arm: who buys of five people. */
const BUYERS_OF_FIVE = { exposed: 4, holdout: 2 } as const;
const OF = 5;
/** Of a report. One browser plays all people, so its budget has to be that of all. */
const EPSILON = 14;
const HOLDOUT = 0.5;

const patient = { timeout: HANG_MS };

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

const cointoss = async (folder: string, ...words: readonly string[]): Promise<string> => {
  const command = path.join(root, 'cli/cointoss.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...words], { cwd: folder });
  return stdout.trimEnd();
};

interface Session extends World {
  /** Of the files that commands read and write. */
  readonly folder: string;
  readonly page: Page;
  readonly shoot: (page: Page, name: string) => Promise<void>;
}

async function press(page: Page, url: string, button: string): Promise<string> {
  await page.goto(url, { waitUntil: 'load' });
  await page.click(button);
  return waitFor('the page to say how the call ended', () => textIn(page), patient);
}

const textIn = async (page: Page): Promise<string | null> =>
  (await page.$eval('#said', ({ textContent }) => textContent)) || null;

/** From an impression to a noisy sum. */
async function measureWithW3c(session: Session): Promise<void> {
  const { extension, origins, page, folder } = session;
  const { keys } = JSON.parse(await cointoss(folder, 'aggregate', '--new-key', 'private.json')) as {
    readonly keys: readonly { readonly id: string; readonly key: string }[];
  };
  await extension.settings({ w3cAttribution: true, aggregationKeys: keys });
  tell('1. The impression. The publisher’s ad calls saveImpression:');
  tell(`   ${await press(page, `${origins.publisher}/w3c`, '#open-ad')}`);
  tell('2. The conversion. The shop calls measureConversion, and gets a sealed report:');
  const report = await press(page, `${origins.shop}/w3c`, '#buy');
  tell(`   ${report.slice(0, SHOWN)}… (${report.length} characters)`);
  tell('   Why, by the log of the device:');
  for (const { call, caller, outcome } of (await extension.w3c.view()).calls)
    tell(`   ${call} of ${caller}: ${JSON.stringify(outcome)}`);
  const view = await extension.openPage('pages/internals.html#/w3c');
  await view.waitForSelector('.w3c-call');
  await view.$$eval('details.w3c-call', (all) => {
    for (const one of all) one.open = true;
  });
  await session.shoot(view, 'session-w3c');
  await view.close();
  tell('3. The sum. The aggregation service opens the report, and adds noise to each bucket:');
  await writeFile(path.join(folder, 'reports.ndjson'), `${report}\n`);
  const sum = ['--reports', 'reports.ndjson', '--keys', 'private.json', '--epsilon', '0.5'];
  for (const row of (await cointoss(folder, 'aggregate', 'w3c', ...sum)).split('\n')) tell(`   ${row}`);
}

/** Of a report, in characters. */
const SHOWN = 120;

/** How many people of each arm have been there. */
type Met = Record<Arm, number>;
type Arm = keyof typeof BUYERS_OF_FIVE;

/** A person of the lift test looks at the ad, and perhaps buys. */
async function oneOfTheTest(session: Session, number: number, met: Met): Promise<void> {
  const { extension, origins, page } = session;
  const seed = `person ${number}`;
  await extension.settings({ debug: { ...(await extension.settings()).debug, seed } });
  await page.goto(`${origins.publisher}/lift`, { waitUntil: 'load' });
  const [source] = await extension.waitForSources(1, patient);
  const arm = armIn(source);
  const nth = met[arm]++;
  await page.waitForSelector('#lift-ad > div');
  if (nth === 0) await session.shoot(page, `session-${arm}`);
  if (nth % OF < BUYERS_OF_FIVE[arm]) await buy(session, arm, nth === 0);
  // The next person has another device.
  await extension.clear();
}

async function buy({ extension, origins, page }: Session, arm: Arm, isFirst: boolean): Promise<void> {
  await page.goto(`${origins.shop}/lift`, { waitUntil: 'load' });
  const [report] = await extension.waitForReports(1, patient);
  if (isFirst) {
    tell(`   The first buyer of the arm ${arm}. Why:`);
    for (const entry of await extension.triggers()) {
      tell(`   ${entryText(entry)}`);
      tell(
        `   passed: ${entry.checks
          .filter(({ passed }) => passed)
          .map(({ id }) => id)
          .join(', ')}`,
      );
    }
    tell(`   its report: ${JSON.stringify(report?.body)}`);
  }
  await extension.deliverAll(patient);
}

function armIn(source: SourceRow | undefined): Arm {
  const arm = source?.registration.filterData['arm']?.[0];
  if (arm !== 'exposed' && arm !== 'holdout') throw new Error('the source has no arm');
  return arm;
}

/** From the first ad to the lift. */
async function measureLift(session: Session): Promise<void> {
  const { extension, collector, folder } = session;
  await extension.clear();
  await extension.settings({
    w3cAttribution: false,
    liftTest: { campaign: 'campaign', holdout: HOLDOUT },
    budget: {
      ...defaultSettings.budget,
      unit: 'user-advertiser',
      period: 365,
      epsilon: epsilon(EPSILON * PEOPLE),
      cap: PEOPLE,
    },
  });
  tell(
    `4. The lift test. ${PEOPLE} people see an ad of the campaign, or another one. Of five people, four buy who saw it, and two of the others:`,
  );
  const met: Met = { exposed: 0, holdout: 0 };
  for (let number = 0; number < PEOPLE; number++) await oneOfTheTest(session, number, met);
  tell(`   ${met.exposed} people were exposed, and ${met.holdout} were held out. Only their devices know.`);
  tell('5. The lift, from the reports at the collector and the source log of the ad server:');
  const address = new URL('/sources', collector.origin);
  address.hostname = '127.0.0.1';
  await writeFile(path.join(folder, 'sources.ndjson'), await (await fetch(address)).text());
  await writeFile(path.join(folder, 'lift.ndjson'), `${(await collector.reportLines()).join('\n')}\n`);
  const compared = ['--holdout', String(HOLDOUT), '--arms', '0,1', '--table'];
  const table = await cointoss(
    folder,
    'estimate',
    '--reports',
    'lift.ndjson',
    '--sources',
    'sources.ndjson',
    ...compared,
  );
  for (const line of table.split('\n').slice(0, 4)) tell(`   ${line}`);
}

const isBrowser = (name: string): name is BrowserName => name === 'chrome' || name === 'firefox';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      browser: { type: 'string', default: 'chrome' },
      screenshots: { type: 'string' },
    },
  });
  const { browser } = values;
  if (!isBrowser(browser)) {
    process.stderr.write(`session: --browser expects chrome or firefox, not ${browser}\n`);
    process.exitCode = 2;
    return;
  }
  const world = await startWorld({ browser, headless: true, seed: 'cointoss session' });
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-session-'));
  try {
    const page = await world.browser.newPage();
    page.setDefaultTimeout(HANG_MS);
    await page.setViewport({ width: 900, height: 700 });
    await page.bringToFront();
    const shoot = shootInto(values.screenshots, browser);
    const session = { ...world, folder, page, shoot };
    await measureWithW3c(session);
    await measureLift(session);
  } finally {
    await world.close();
    await rm(folder, { recursive: true });
  }
}

void main();
