import { parseMatchPattern } from '../../../recording/match-pattern';

const matches = (pattern: string, url: string): boolean | undefined =>
  parseMatchPattern(pattern)?.matches(url);

test.each([
  ['https://shop.example/thanks', 'https://shop.example/thanks'],
  ['https://shop.example/thanks*', 'https://shop.example/thanks/you?order=1'],
  ['https://shop.example/*', 'https://shop.example/'],
  ['https://shop.example/*', 'https://shop.example'],
  ['https://shop.example/*', 'https://shop.example:8443/'],
  ['https://shop.example/a*c', 'https://shop.example/abc'],
  ['https://shop.example/a*c', 'https://shop.example/ac'],
  ['https://shop.example/?a=1', 'https://shop.example/?a=1'],
  ['https://shop.example/thanks', 'https://shop.example/thanks#part'],
  ['https://*.shop.example/*', 'https://shop.example/'],
  ['https://*.shop.example/*', 'https://www.eu.shop.example/'],
  ['*://shop.example/*', 'http://shop.example/'],
  ['*://shop.example/*', 'https://shop.example/'],
  ['https://*/*', 'https://anything.example/x'],
  ['http://shop.localhost:8080/*', 'http://shop.localhost:8080/x'],
  ['https://shop.example:443/*', 'https://shop.example/x'],
  ['http://localhost:80/*', 'http://localhost/x'],
  ['https://shop.example/(a+b)[1].html', 'https://shop.example/(a+b)[1].html'],
])('%s matches %s', (pattern, url) => expect(matches(pattern, url)).toBe(true));

test.each([
  ['https://shop.example/thanks', 'https://shop.example/thanks/'],
  ['https://shop.example/thanks', 'https://shop.example/thanks?order=1'],
  ['https://shop.example/thanks', 'http://shop.example/thanks'],
  ['https://shop.example/thanks', 'https://www.shop.example/thanks'],
  ['https://shop.example/Thanks', 'https://shop.example/thanks'],
  ['https://*.shop.example/*', 'https://notshop.example/'],
  ['https://*.shop.example/*', 'https://shop.example.evil.example/'],
  ['https://shop.example/*', 'https://evil.example/https://shop.example/'],
  ['https://shop.example/*', 'https://shop.example@evil.example/'],
  ['https://shop.example/*', 'https://evil.example/#https://shop.example/'],
  ['*://shop.example/*', 'ftp://shop.example/'],
  ['*://*/*', 'file:///tmp/x'],
  ['http://shop.localhost:8080/*', 'http://shop.localhost:8081/x'],
  ['http://shop.localhost:8080/*', 'http://shop.localhost/x'],
  ['https://shop.example/a.html', 'https://shop.example/axhtml'],
  ['https://shop.example/(a+b)', 'https://shop.example/aab'],
  ['https://shop.example/*', 'no URL'],
  ['https://shop.example/*', ''],
])('%s does not match %s', (pattern, url) => expect(matches(pattern, url)).toBe(false));

test.each([
  '',
  'shop.example',
  'https://shop.example',
  'ftp://shop.example/*',
  'file:///*',
  '<all_urls>',
  'https:///path',
  'https://shop.*/x',
  'https://*shop.example/x',
  'https://a.*.example/x',
  'https://shop.example:*/x',
  'https://shop.example:/x',
  ' https://shop.example/*',
  'https//shop.example/*',
])('%j is no match pattern', (pattern) => expect(parseMatchPattern(pattern)).toBeNull());

test.each([
  ['http://shop.localhost:8080/a*', 'http://shop.localhost/a*'],
  ['*://*.shop.example/*', '*://*.shop.example/*'],
])('%s is %s for the browsers', (pattern, plain) => {
  expect(parseMatchPattern(pattern)?.withoutPort).toBe(plain);
});
