import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserName } from '../scenarios/kit';
import { extensionPath } from '../scenarios/kit/launch';

interface Manifest {
  readonly content_scripts: readonly { readonly js: readonly string[] }[];
  readonly [key: string]: unknown;
}

const everyPage = `{ urls: ['http://*/*', 'https://*/*'] }`;
const seeHeaders = `(globalThis.browser ?? chrome).webRequest.onHeadersReceived.addListener(() => undefined, ${everyPage}, ['responseHeaders']);`;

const setHeaders = `chrome.declarativeNetRequest.updateSessionRules({
  removeRuleIds: [1],
  addRules: [{
    id: 1,
    action: { type: 'modifyHeaders', requestHeaders: [{ header: 'Empty', operation: 'set', value: '1' }] },
    condition: { urlFilter: '#empty|', resourceTypes: ['xmlhttprequest'] },
  }],
});`;

/**
 * Writes into a folder an extension that runs where Cointoss does, and does nothing there: it has the same permissions, its scripts on pages are empty, it
 * sees the headers of all responses, and it could set those of requests. What it costs is the browser's own.
 */
export async function writeEmptyExtension(folder: string, name: BrowserName): Promise<void> {
  const own = JSON.parse(await readFile(path.join(extensionPath(name), 'manifest.json'), 'utf8')) as Manifest;
  const { permissions, host_permissions, content_scripts } = own;
  const manifest = {
    manifest_version: 3,
    name: 'Empty',
    version: '1',
    permissions,
    host_permissions,
    content_scripts: content_scripts.map((script) => ({ ...script, js: ['empty.js'] })),
    background: name === 'chrome' ? { service_worker: 'listens.js' } : { scripts: ['listens.js'] },
    ...(name === 'chrome' ? {} : { browser_specific_settings: { gecko: { id: 'empty@cointoss.example' } } }),
  };
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(path.join(folder, 'empty.js'), '');
  await writeFile(path.join(folder, 'listens.js'), seeHeaders + setHeaders);
}
