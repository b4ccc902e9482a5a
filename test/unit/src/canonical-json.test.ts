import fc from 'fast-check';
import type { Json } from '../../../src/model/json';
import { canonicalJson } from '../../../formats/settings/canonical-json';

const of = (value: Json): string => {
  const { value: text, errors } = canonicalJson(value);
  if (text === null) throw new Error(JSON.stringify(errors));
  return text;
};

/** RFC 8785, section 3.2.2 and 3.2.3, and the tests that its authors published. */
test.each<[string, string, string]>([
  [
    'section 3.2.2',
    String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    'section 3.2.3',
    String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`,
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  [
    'structures',
    '{"1": {"f": {"f": "hi", "F": 5}, "\\n": 56.0}, "10": {}, "": "empty", "a": {}, "111": [{"e": "yes", "E": "no"}], "A": {}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  [
    'french',
    '{"peach": "1", "péché": "2", "pêche": "3", "sin": "4"}',
    '{"peach":"1","péché":"2","pêche":"3","sin":"4"}',
  ],
  ['names like numbers', '{"9": 1, "10": 2}', '{"10":2,"9":1}'],
  ['__proto__', '{"b": 1, "__proto__": {"x": 1}}', '{"__proto__":{"x":1},"b":1}'],
])('the canonical text of %s', (_what, text, expected) => {
  expect(of(JSON.parse(text) as Json)).toBe(expected);
});

/** RFC 8785, appendix B: the bits of a double and its text. */
test.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('the double %s is %s', (bits, expected) => {
  expect(of(Buffer.from(bits, 'hex').readDoubleBE())).toBe(expected);
});

/** Appendix B has these, too: they are whole, and beyond what every reader of I-JSON takes for the same number. */
test.each(['4340000000000000', 'c340000000000000', '4430000000000000', '444b1ae4d6e2ef4e'])(
  'the whole double %s is refused',
  (bits) => {
    const number = Buffer.from(bits, 'hex').readDoubleBE();
    const { value, errors } = canonicalJson({ a: [0, number] });
    expect([value, errors]).toEqual([
      null,
      [{ code: 'inexact-number', values: { was: String(number) }, path: 'a[1]' }],
    ]);
  },
);

test.each<[string, Json, string, string]>([
  ['infinity', { a: Infinity }, 'inexact-number', 'a'],
  ['what is no number', [NaN], 'inexact-number', '[0]'],
  ['half a character', { a: { b: ['x\ud83d'] } }, 'half-character', 'a.b[0]'],
  ['the other half first', { a: '\ude00\ud83d' }, 'half-character', 'a'],
  ['half a name', { 'a\udead': 1 }, 'half-character', 'a\udead'],
])('%s is refused, naming the place', (_what, document, code, path) => {
  const { value, errors } = canonicalJson(document);
  expect(value).toBeNull();
  expect(errors).toMatchObject([{ code, path }]);
});

test('the text is JSON of the same value, and does not depend on the order of fields', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const { value: text } = canonicalJson(value as Json);
      if (text === null) return;
      // JSON has no -0.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(of(reversed(value as Json))).toBe(text);
    }),
  );
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversed(field)]),
  );
}
