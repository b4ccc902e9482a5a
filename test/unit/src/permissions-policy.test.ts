import type { Origin } from '../../../src/model/units';
import {
  allowlistOf,
  containerPolicy,
  declaredPolicy,
  isAllowed,
  stricter,
  type Policy,
} from '../../../extension/background/documents/permissions-policy';

const SELF = 'https://news.example' as Origin;
const AD = 'https://ad.example' as Origin;

const ara = (policy: Policy): unknown => allowlistOf(policy, 'attribution-reporting');

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
    ['camera=()', '*'],
    ['', '*'],
    // Malformed: as if there were none.
    ['attribution-reporting=(', '*'],
    ["attribution-reporting 'none'", '*'],
  ])('%s allows %j', (header, expected) => expect(ara(declaredPolicy(header, SELF))).toEqual(expected));
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
    ['attribution-reporting-more *', '*'],
    ['', '*'],
  ])('%s allows %j', (allow, expected) =>
    expect(ara(containerPolicy(allow, SELF, `${AD}/frame`))).toEqual(expected),
  );

  test('without a URL of its own, the frame has the origin of the document', () => {
    expect(ara(containerPolicy('attribution-reporting', SELF, 'about:srcdoc'))).toEqual([SELF]);
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

test('a header that is too long to be read allows nobody', () => {
  expect(declaredPolicy(`attribution-reporting=*, a=(${'1 '.repeat(5000)})`, SELF)).toEqual({
    'attribution-reporting': [],
    'save-impression': [],
    'measure-conversion': [],
  });
});

test('each feature has its own allowlist', () => {
  const header = declaredPolicy('save-impression=(self), measure-conversion=()', SELF);
  expect(header).toEqual({ 'save-impression': [SELF], 'measure-conversion': [] });
  const attribute = containerPolicy("save-impression *; Measure-Conversion 'src'; camera", SELF, `${AD}/`);
  expect(attribute).toEqual({ 'measure-conversion': [AD] });
  expect(stricter(header, attribute)).toEqual(header);
  expect(stricter(attribute, containerPolicy(`measure-conversion ${SELF} ${AD}`, SELF, ''))).toEqual(
    attribute,
  );
});
