import { originOfUrl } from '../../../src/model/origin';
import { siteOf, siteOfUrl } from '../../../src/model/site';
import type { Origin } from '../../../src/model/units';

describe('the origin of a URL', () => {
  test.each([
    ['https://shop.example/path?query#fragment', 'https://shop.example'],
    ['https://user:word@Shop.Example:443/', 'https://shop.example'],
    ['https://shop.example:8443', 'https://shop.example:8443'],
    ['  https://shop.example  ', 'https://shop.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://192.0.2.1:1', 'https://192.0.2.1:1'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]'],
    ['https://shop.example.', 'https://shop.example.'],
    // Over http only what does not leave the machine is trustworthy (Secure Contexts).
    ['http://localhost', 'http://localhost'],
    ['http://localhost:80', 'http://localhost'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://localhost.', 'http://localhost.'],
    ['http://shop.localhost:1', 'http://shop.localhost:1'],
    ['http://shop.localhost.', 'http://shop.localhost.'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://127.255.0.9:5', 'http://127.255.0.9:5'],
    ['http://0x7f.1', 'http://127.0.0.1'],
    ['http://[::1]:5', 'http://[::1]:5'],
  ])('%s is %s', (url, origin) => expect(originOfUrl(url)).toBe(origin));

  test('stays the same however often it is asked for', () => {
    // Node 20's URL.canParse changes its mind about this one after some thousand calls.
    const answers = Array.from({ length: 20_000 }, () => originOfUrl('https://bücher.example/'));
    expect(new Set(answers)).toEqual(new Set(['https://xn--bcher-kva.example']));
  });

  test.each([
    'http://shop.example',
    'http://localhost.example',
    'http://notlocalhost',
    'http://localhost..',
    'http://128.0.0.1',
    'http://127.0.0.1.example',
    'http://[::2]',
    'http://0.0.0.0',
    'ftp://shop.example',
    'ws://localhost',
    'wss://shop.example',
    'file:///tmp/x',
    'data:text/html,x',
    'blob:https://shop.example/7d9c',
    'about:blank',
    'javascript:0',
    'chrome-extension://abc',
    'shop.example',
    '//shop.example',
    '/path',
    'https://',
    'https://a b',
    'https://shop.example:99999',
    '',
    'null',
  ])('%s has none that can take part', (url) => {
    expect(originOfUrl(url)).toBeNull();
    expect(siteOfUrl(url)).toBeNull();
  });
});

describe('the site of an origin', () => {
  test.each([
    ['https://shop.example', 'https://shop.example'],
    ['https://www.a.b.shop.example:8443', 'https://shop.example'],
    ['https://www.shop.co.uk', 'https://shop.co.uk'],
    ['https://alice.github.io', 'https://alice.github.io'],
    ['https://www.alice.github.io', 'https://alice.github.io'],
    // Exceptions and wildcards of the public suffix list.
    ['https://www.ck', 'https://www.ck'],
    ['https://a.b.ck', 'https://a.b.ck'],
    ['https://c.a.b.ck', 'https://a.b.ck'],
    // A public suffix is its own site.
    ['https://com', 'https://com'],
    ['https://co.uk', 'https://co.uk'],
    ['https://github.io', 'https://github.io'],
    // A dot at the end makes another name.
    ['https://www.shop.example.', 'https://shop.example.'],
    ['https://www.shop.co.uk.', 'https://shop.co.uk.'],
    ['https://co.uk.', 'https://co.uk.'],
    // Names that DNS would not register but does resolve.
    ['https://a-.shop.example', 'https://shop.example'],
    ['https://a_b.shop.example', 'https://shop.example'],
    ['https://a!b.shop.example', 'https://shop.example'],
    [`https://${'x'.repeat(64)}.shop.example`, 'https://shop.example'],
    ['https://xn--bcher-kva.xn--p1ai', 'https://xn--bcher-kva.xn--p1ai'],
    ['http://localhost:8080', 'http://localhost'],
    ['http://shop.localhost:8080', 'http://shop.localhost'],
    ['http://www.shop.localhost', 'http://shop.localhost'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1'],
    ['https://192.0.2.1', 'https://192.0.2.1'],
    ['http://[::1]:8080', 'http://[::1]'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]'],
  ])('%s is %s', (origin, site) => {
    expect(siteOf(origin as Origin)).toBe(site);
    expect(siteOfUrl(`${origin}/path?query`)).toBe(site);
  });
});
