import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../../src/model/json';
import { launch } from '../kit';
import { shoot, shootForListing } from './shoot';

const example = path.resolve(__dirname, '../../docs/field-trial/trial.json');
/** The example's dates pass by, the picture stays. */
const BEGINNING = Date.UTC(2027, 0, 2, 9);

/** The consent page with the example's trial, before and after the answer, in a browser that nobody has agreed in. */
export async function shootConsent(): Promise<void> {
  const launched = await launch({ browser: 'chrome', consent: false, clock: BEGINNING });
  const { extension } = launched;
  try {
    const trial = JSON.parse(readFileSync(example, 'utf8')) as Json;
    await extension.send({ kind: 'offer-trial', trial });
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
