import browser from 'webextension-polyfill';
import { readManagedTrial } from '../../extension/background/consent/managed-trial';
import type { Json } from '../../src/model/json';

const before = browser.storage;

afterEach(() => void Object.assign(browser, { storage: before }));

test.each<[Json | undefined, Json]>([
  [undefined, null],
  [{ id: 'x' }, { id: 'x' }],
  ['{"id": "x"}', { id: 'x' }],
  // The parser refuses a text.
  ['{"id"}', '{"id"}'],
  ['{"id": "x", "id": "y"}', '{"id": "x", "id": "y"}'],
])('the policy %j sets %j', async (trial, expected) => {
  Object.assign(browser, { storage: { managed: { get: () => Promise.resolve({ trial }) } } });
  expect(await readManagedTrial()).toEqual(expected);
});
