import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../manifest.json';

const root = path.resolve(__dirname, '../../..');
const listing = readFileSync(path.join(root, 'docs/listing/chrome-web-store.md'), 'utf8');
const firefoxListing = readFileSync(path.join(root, 'docs/listing/addons-mozilla-org.md'), 'utf8');

const description = (locale: string): string => {
  const file = path.join(root, 'extension/_locales', `${locale}.json`);
  const messages = JSON.parse(readFileSync(file, 'utf8')) as { extensionDescription: string };
  return messages.extensionDescription;
};

test.each(readdirSync(path.join(root, 'extension/_locales')).map((file) => path.basename(file, '.json')))(
  'the store has room for the summary in %s',
  (locale) => {
    expect(description(locale).length).toBeLessThanOrEqual(132);
  },
);

test('the listings have the summary that the packages have', () => {
  expect(listing).toContain(`> ${description('en')}\n`);
  expect(firefoxListing).toContain(`> ${description('en')}\n`);
});

test.each([...manifest.permissions, ...manifest.host_permissions])(
  'a listing gives a reason for %s',
  (permission) => {
    expect(`${listing}${firefoxListing}`).toContain(`\`${permission}\``);
  },
);
