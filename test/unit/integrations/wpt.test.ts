import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { collectorHost, hasDebugCookie, notCounted, reasonOf } from '../../../integrations/wpt/reasons';
import { subtestsOf } from '../../../integrations/wpt/results';
import { TestServer } from '../../../integrations/wpt/server';
import { findVariants } from '../../../integrations/wpt/tests';

const webTests = mkdtempSync(path.join(tmpdir(), 'cointoss-wpt-'));
afterAll(() => rmSync(webTests, { recursive: true }));

function write(name: string, text = ''): void {
  const file = path.join(webTests, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test('each variant of each file is a page to open, and what tests load is none', () => {
  write('external/wpt/attribution-reporting/below/one.html');
  write('external/wpt/attribution-reporting/resources/inner.html');
  write(
    'wpt_internal/attribution-reporting/two.html',
    `<meta name=variant content='?eligible={"a":true}'><meta name="variant" content="?method=img">`,
  );
  expect(findVariants(webTests)).toEqual([
    { file: '/attribution-reporting/below/one.html', query: '' },
    { file: '/wpt_internal/attribution-reporting/two.html', query: '?eligible={"a":true}' },
    { file: '/wpt_internal/attribution-reporting/two.html', query: '?method=img' },
  ]);
});

test('a folder without tests is refused', () => {
  expect(() => findVariants(path.join(webTests, 'external'))).toThrow(/no test|ENOENT/);
});

test.each([
  ['debug-key', '?input=valid_cookie&source_only', true, null],
  ['debug-key', '?input=cookie_without_secure', false, null],
  ['simple-aggregatable-report', '?default', true, 'web-platform.test'],
  ['simple-aggregatable-report', '?cross-origin', true, 'www1.web-platform.test'],
])('%s%s runs with debug reports: %s, and the collector %s', (file, query, debug, collector) => {
  expect(hasDebugCookie({ file, query })).toBe(debug);
  expect(collectorHost({ file, query })).toBe(collector);
});

test('a page that failed as a whole has failed, whatever its subtests say', () => {
  const good = { name: 'one', status: 0, message: null };
  const passed = { name: 'one', passed: true, message: '' };
  expect(subtestsOf({ status: 0, message: null, tests: [good] })).toEqual([passed]);
  expect(subtestsOf({ status: 1, message: 'Uncaught', tests: [good] })).toEqual([
    { ...passed, message: 'Uncaught' },
    { name: 'the page', passed: false, message: 'Uncaught' },
  ]);
  expect(subtestsOf({ status: 0, message: null, tests: [] })).toEqual([
    { name: 'the page', passed: false, message: 'no subtest' },
  ]);
});

test('a server that ends before the tests do is an error', async () => {
  const bin = mkdtempSync(path.join(tmpdir(), 'cointoss-wpt-bin-'));
  writeFileSync(path.join(bin, 'python3'), `#!/bin/sh\necho '{"https":[1]}'\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `${bin}:${PATH}`;
  try {
    const server = await TestServer.start(webTests);
    await server.exit;
    await expect(server.forgetRequests()).rejects.toThrow();
    await expect(server.close()).rejects.toThrow(/python3 ended/);
  } finally {
    process.env['PATH'] = PATH;
    rmSync(bin, { recursive: true });
  }
});

test('what needs more than attribution reporting is not counted', () => {
  expect(notCounted({ file: 'fenced-frame-network-revocation', query: '' })).toMatch(/fenced frames/);
  expect(notCounted({ file: 'source-registration', query: '' })).toBeNull();
});

describe('a failure has a known reason', () => {
  const missing = 'assert_own_property: expected property "attribution-reporting-eligible" missing';
  const request = {
    file: '/attribution-reporting/request-format.sub.https.html',
    query: '?method=script&eligible',
  };

  test('where the browser is faster than an extension', () => {
    expect(reasonOf(request, missing)).toMatch(/before an extension/);
  });

  test('where the answer for a trigger overtook that for its source', () => {
    const racing = {
      file: '/wpt_internal/attribution-reporting/trigger-data-sanitization.sub.https.html',
      query: '?method=img&in=2&out=0',
    };
    const [first, second] = [
      'source: {"kind":"stored"}',
      'trigger: {"kind":"dropped","reason":"trigger-no-matching-source"}',
    ];
    expect(reasonOf(racing, `the page: failed; ${first}; ${second}`)).toMatch(/answered first/);
    expect(reasonOf(racing, `the page: failed; ${second}; ${first}`)).toBeNull();
  });

  test('but not in another test, or of another request', () => {
    const other = {
      ...request,
      file: '/wpt_internal/attribution-reporting/source-registration.sub.https.html',
    };
    expect(reasonOf(other, missing)).toBeNull();
    for (const query of ['?method=a', '?method=img&expected-eligible=event-source, trigger'])
      expect(reasonOf({ ...request, query }, missing)).toBeNull();
  });

  // As helpers of another version than the test's: a mistake of the folder, and none of a browser.
  test('and not where the files are of several versions', () => {
    const compared = 'assert_equals: expected (object) object "[object Promise]" but got (string) "event"';
    const file = '/wpt_internal/attribution-reporting/source-registration.sub.https.html';
    expect(reasonOf({ file, query: '?method=img' }, compared)).toBeNull();
  });
});
