import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../node/root';
import type { JsonObject } from '../../src/model/json';
import { launch } from '../kit';
import { shoot, shootForListing } from './shoot';

const example = path.join(root, 'docs/field-trial/trial.json');
const DAY = 86_400_000;

/** The example trial with current dates. */
function trialOfToday(): JsonObject {
  const midnight = Math.floor(Date.now() / DAY) * DAY;
  const iso = (time: number): string => new Date(time).toISOString();
  const trial = JSON.parse(readFileSync(example, 'utf8')) as JsonObject;
  return { ...trial, start: iso(midnight), end: iso(midnight + 90 * DAY) };
}

/** The trial as a researcher signs it, with a new key. */
function signed(trial: JsonObject): JsonObject {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-signed-'));
  const [file, key] = [path.join(folder, 'trial.json'), path.join(folder, 'key.pem')];
  const cointoss = (...given: readonly string[]): string =>
    execFileSync(process.execPath, [path.join(root, 'cli/cointoss.mjs'), 'trial', ...given], {
      encoding: 'utf8',
    });
  try {
    writeFileSync(file, JSON.stringify(trial));
    cointoss('--new-key', key);
    return JSON.parse(cointoss(file, '--sign', key)) as JsonObject;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Shoots the consent page with the example trial, before and after the answer, in a browser without consent. */
export async function shootConsent(): Promise<void> {
  const launched = await launch({ browser: 'chrome', consent: false });
  const { extension } = launched;
  try {
    await extension.send({ kind: 'offer-trial', trial: signed(trialOfToday()) });
    const page = await extension.openPage('pages/consent.html');
    await page.setViewport({ width: 1000, height: 900 });
    // Buttons that decide can be pressed after a second.
    await page.waitForSelector('#accept:not([aria-disabled])');
    await shoot(page, 'consent', true);
    await shootForListing(page, 'consent');
    await extension.accept();
    await page.waitForSelector('#withdraw');
    await page.setViewport({ width: 1000, height: 900 });
    await shoot(page, 'consent-given', true);
  } finally {
    await launched.close();
  }
}
