import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import type { KnownDocument } from '../../extension/background/known-document';
import { PermissionsPolicies } from '../../extension/background/permissions-policies';
import {
  containerAllowlist,
  declaredAllowlist,
  isAllowed,
} from '../../extension/background/permissions-policy';
import { SessionMemory } from '../../extension/background/session-memory';

const SELF = 'https://news.example' as Origin;
const AD = 'https://ad.example' as Origin;

describe('the header', () => {
  test.each([
    ['attribution-reporting=()', []],
    ['camera=(self), attribution-reporting=(), other=*', []],
    ['attribution-reporting=*', '*'],
    ['attribution-reporting=(*)', '*'],
    ['attribution-reporting=self', [SELF]],
    ['attribution-reporting=(self "https://ad.example/path")', [SELF, AD]],
    ['attribution-reporting="https://ad.example"', [AD]],
    ['attribution-reporting=("none" 7 src)', []],
    // The last of several counts (RFC 9651, 3.2).
    ['attribution-reporting=(), attribution-reporting=*', '*'],
    ['attribution-reporting', []],
    ['camera=()', null],
    ['', null],
    // Malformed: as if there were none.
    ['attribution-reporting=(', null],
    ["attribution-reporting 'none'", null],
  ])('%s allows %j', (header, expected) => expect(declaredAllowlist(header, SELF)).toEqual(expected));
});

describe('the attribute allow', () => {
  test.each([
    ["attribution-reporting 'none'", []],
    ["camera; ATTRIBUTION-REPORTING\t'none' ; microphone *", []],
    ['attribution-reporting *', '*'],
    ['attribution-reporting', [AD]],
    ["attribution-reporting 'src'", [AD]],
    ["attribution-reporting 'self' https://ad.example:443/x", [SELF, AD]],
    ['attribution-reporting nonsense', []],
    ['attribution-reporting-more *', null],
    ['', null],
  ])('%s allows %j', (allow, expected) =>
    expect(containerAllowlist(allow, SELF, `${AD}/frame`)).toEqual(expected),
  );

  test('without a URL of its own, the frame has the origin of the document', () => {
    expect(containerAllowlist('attribution-reporting', SELF, 'about:srcdoc')).toEqual([SELF]);
  });
});

test.each([
  ['*', null, true],
  ['*', AD, true],
  [[AD], AD, true],
  [[SELF], AD, false],
  [[AD], null, false],
  [[], AD, false],
] as const)('%j allows %s: %s', (allowlist, origin, expected) =>
  expect(isAllowed(allowlist, origin)).toBe(expected),
);

const document = (tabId: number, frameId: number, url = 'https://page.example/'): KnownDocument => ({
  id: `${tabId} ${frameId}`,
  parentId: frameId === 0 ? null : `${tabId} 0`,
  tabId,
  frameId,
  url,
  origin: originOfUrl(url),
  frameUrls: [url],
  isShown: true,
  since: 0,
  left: null,
});

test('a tab with many frames makes no other tab forget the response of its page', () => {
  const policies = new PermissionsPolicies(new SessionMemory());
  const page = (tabId: number): KnownDocument => document(tabId, 0);
  policies.declared(1, 0, page(1).url, '');
  for (let frameId = 1; frameId < 2000; frameId++) policies.declared(2, frameId, 'https://f.example/', '');
  expect(policies.hasResponse(page(1))).toBe(true);
  expect(policies.hasResponse(page(2))).toBe(false);
});

describe('a frame with many frames', () => {
  const page = document(1, 0);
  const frame = document(1, 1, `${AD}/frame`);
  const flood = (policies: PermissionsPolicies): void => {
    for (let id = 2; id < 1000; id++) {
      policies.declared(1, id, `${AD}/${id}`, 'attribution-reporting=(self)');
      policies.contained(frame, `${AD}/${id}`, 'attribution-reporting *');
    }
  };

  test('makes no page forget its header', () => {
    const policies = new PermissionsPolicies(new SessionMemory());
    policies.declared(1, 0, page.url, 'attribution-reporting=(self)');
    flood(policies);
    expect(policies.forbid(AD, [frame, page])).toBe(true);
  });

  test('makes no page forget what it allows the frame', () => {
    const policies = new PermissionsPolicies(new SessionMemory());
    policies.contained(page, frame.url, "attribution-reporting 'none'");
    flood(policies);
    expect(policies.forbid(AD, [frame, page])).toBe(true);
  });
});

test('a header that is too long to be read allows nobody', () => {
  expect(declaredAllowlist(`attribution-reporting=*, a=(${'1 '.repeat(5000)})`, SELF)).toEqual([]);
});
