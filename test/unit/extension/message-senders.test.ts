import 'fake-indexeddb/auto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../manifest.json';
import type { PageMessage } from '../../../extension/messages';
import { useCrashes } from '../helpers/crash/use-crashes';
import { ADTECH, NEWS, SHOP } from '../helpers/engine';
import { ask } from '../helpers/webextension';
import { ofOwnPage, OWN_PAGE, startWholeBackground } from '../helpers/whole-background';

const extension = path.resolve(__dirname, '../../../extension');

const recorded = async (): Promise<unknown> => ({
  sources: ((await ofOwnPage({ kind: 'list', table: 'sources', limit: 9 })) as readonly unknown[]).length,
  settings: await ofOwnPage({ kind: 'get-settings' }),
});

useCrashes();

beforeAll(async () => {
  await startWholeBackground();
  await ofOwnPage({ kind: 'accept', trial: null });
  await ofOwnPage({ kind: 'set-settings', settings: { debug: { enabled: true } } });
  const header = JSON.stringify({ destination: SHOP });
  await ofOwnPage({
    kind: 'register',
    register: 'event',
    header,
    contextOrigin: NEWS,
    reportingOrigin: ADTECH,
  });
});

const page = { url: `${NEWS}/`, origin: NEWS, tab: { id: 1 }, frameId: 0, documentId: 'd' };

const messages: readonly PageMessage[] = [
  { kind: 'list', table: 'log', limit: 9 },
  { kind: 'set-settings', settings: { collector: 'https://collector.example' } },
  { kind: 'clear' },
  { kind: 'withdraw' },
];

describe.each<[string, object]>([
  ['a content script', { id: 'cointoss', ...page }],
  ['another extension', { id: 'other', url: 'moz-extension://other/pages/options.html' }],
  ['another extension with the address of a page of this one', { ...OWN_PAGE, id: 'other' }],
  [
    'a page of another extension with the id of this one in its name',
    { id: 'cointoss', url: 'moz-extension://cointoss.other/' },
  ],
])('%s', (_who, sender) => {
  test.each(messages)('reads and changes nothing by $kind', async (message) => {
    const before = await recorded();
    expect(before).toMatchObject({ sources: 1, settings: { collector: null } });
    expect(await ask(message, sender)).toBe(false);
    expect(await recorded()).toEqual(before);
  });
});

test('nobody outside the extension can send the background anything', () => {
  // Without this key, other extensions still could, if the background listened.
  expect(manifest).not.toHaveProperty('externally_connectable');
  const listeners = readdirSync(extension, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => /on(Message|Connect)External/.test(readFileSync(path.join(extension, file), 'utf8')));
  expect(listeners).toEqual([]);
});
