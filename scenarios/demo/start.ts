import { parseArgs } from 'node:util';
import type { BrowserName } from '../kit';
import { guide } from './guide';
import { visit } from './visit';
import { startWorld, type World } from './world';

const VISIT_SEED = 'cointoss demo';

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** Makes the scripted visit and prints the received reports. Resolves to the exit code. */
async function runOnce(browser: BrowserName): Promise<number> {
  tell(`cointoss: a scripted visit in ${browser}. The noise is on, drawn from the seed "${VISIT_SEED}".`);
  let step = '';
  let world: World | null = null;
  const onStep = (next: string): void => {
    step = next;
    tell(`cointoss: ${step} …`);
  };
  try {
    onStep('starting the servers and the browser');
    world = await startWorld({ browser, headless: true, seed: VISIT_SEED });
    for (const line of await visit(world, onStep)) process.stdout.write(`${line}\n`);
    return 0;
  } catch (error) {
    tell(`cointoss: failed while ${step}: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await world?.close();
  }
}

/** Opens the publisher for a person, until the browser is closed. Resolves to the exit code. */
async function runForPerson(browser: BrowserName): Promise<number> {
  const world = await startWorld({ browser, headless: false, seed: null });
  try {
    await openPublisher(world);
    tell(guide(world));
    await closed(world);
    return 0;
  } finally {
    await world.close();
  }
}

/** Replaces the blank tab that a browser starts with. */
async function openPublisher({ browser, extension, origins }: World): Promise<void> {
  const own = await extension.page();
  const blank = (await browser.pages()).find((page) => page !== own && page.url() === 'about:blank');
  const page = blank ?? (await browser.newPage());
  await page.goto(origins.publisher);
  await page.bringToFront();
}

async function closed({ browser }: World): Promise<void> {
  if (browser.connected) await new Promise<unknown>((resolve) => browser.once('disconnected', resolve));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, browser: { type: 'string', default: 'chrome' } },
  });
  const browser = values.browser === 'firefox' ? 'firefox' : 'chrome';
  return values.once ? runOnce(browser) : runForPerson(browser);
}

void main().then((code) => (process.exitCode = code));
