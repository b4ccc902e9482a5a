import { readFileSync } from 'node:fs';
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

/** Shoots the consent page with the example trial, before and after the answer, in a browser without consent. */
export async function shootConsent(): Promise<void> {
  const launched = await launch({ browser: 'chrome', consent: false });
  const { extension } = launched;
  try {
    await extension.send({ kind: 'offer-trial', trial: trialOfToday() });
    const page = await extension.openPage('pages/consent.html');
    await page.setViewport({ width: 1000, height: 900 });
    await page.waitForSelector('#trial');
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
