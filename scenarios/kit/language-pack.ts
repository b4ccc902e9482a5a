import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'puppeteer-core';

/**
 * Firefox only accepts a language if it has a pack for it. An empty pack is enough: extensions then use the language, and the browser's own
 * words stay English.
 */
export async function installLanguagePack(browser: Browser, language: string): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cointoss-language-'));
  try {
    await mkdir(path.join(folder, 'browser'));
    await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifestOf(language)));
    await browser.installExtension(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const manifestOf = (language: string): object => ({
  manifest_version: 2,
  langpack_id: language,
  name: language,
  version: '1.0',
  browser_specific_settings: { gecko: { id: `langpack-${language}@firefox.mozilla.org` } },
  languages: { [language]: { version: '1', chrome_resources: {} } },
  sources: { browser: { base_path: 'browser/' } },
});
