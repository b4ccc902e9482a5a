import fc from 'fast-check';
import { parseJsonHeader } from '../../../formats/registration/header';
import { parseEligible, parseInfo } from '../../../recording/structured-headers';
import { english } from '../../../words/english';

const structured = {
  path: '',
  message: expect.stringContaining('must be a structured dictionary') as string,
};

describe('Attribution-Reporting-Eligible', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['event-source', ['event-source']],
    ['navigation-source', ['navigation-source']],
    ['trigger', ['trigger']],
    ['trigger, event-source', ['event-source', 'trigger']],
    ['trigger,\tevent-source ,navigation-source', ['event-source', 'navigation-source', 'trigger']],
    // Grease: values and parameters mean nothing, other keys are ignored.
    ['event-source=?0, trigger=1', ['event-source', 'trigger']],
    ['event-source;navigation-source', ['event-source']],
    ['event-source="trigger"', ['event-source']],
    ['trigger=(event-source navigation-source)', ['trigger']],
    ['not-event-source, x;trigger, event-source', ['event-source']],
    ['event-source, event-source=5', ['event-source']],
    ['*grease=:aGk=:', []],
    ['constructor, trigger', ['trigger']],
  ])('%j states %j', (header, keys) => {
    expect(parseEligible(header)).toEqual({ value: new Set(keys), errors: [], warnings: [] });
  });

  test.each([
    'trigger,',
    'Trigger',
    '"trigger"',
    'event-source trigger',
    'trigger=',
    ',',
    'tri\u00efgger',
    '=1',
    '__proto__',
  ])('%j is no structured dictionary', (header) => {
    const { value, errors } = parseEligible(header);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([structured]);
  });
});

describe('Attribution-Reporting-Info', () => {
  test.each<[string | null, 'web' | 'os' | null, boolean]>([
    [null, null, false],
    ['', null, false],
    ['preferred-platform=web', 'web', false],
    ['preferred-platform=os', 'os', false],
    ['preferred-platform=os;web', 'os', false],
    ['preferred-platform=os, preferred-platform=web', 'web', false],
    ['report-header-errors', null, true],
    ['report-header-errors=?1', null, true],
    ['report-header-errors=?0', null, false],
    ['report-header-errors;a=1, preferred-platform=web, other="x"', 'web', true],
  ])('%j says platform %s and header errors %s', (header, preferredPlatform, reportHeaderErrors) => {
    expect(parseInfo(header)).toEqual({
      value: { preferredPlatform, reportHeaderErrors },
      errors: [],
      warnings: [],
    });
  });

  test.each<[string, string, string]>([
    ['preferred-platform', 'preferred-platform', 'must be the token web or os'],
    ['preferred-platform="web"', 'preferred-platform', 'must be the token web or os'],
    ['preferred-platform=android', 'preferred-platform', 'must be the token web or os'],
    ['preferred-platform=1', 'preferred-platform', 'must be the token web or os'],
    ['preferred-platform=(web)', 'preferred-platform', 'must be the token web or os'],
    ['report-header-errors=1', 'report-header-errors', 'must be a boolean (?1 or ?0)'],
    ['report-header-errors=true', 'report-header-errors', 'must be a boolean (?1 or ?0)'],
    ['report-header-errors="?1"', 'report-header-errors', 'must be a boolean (?1 or ?0)'],
    ['report-header-errors=()', 'report-header-errors', 'must be a boolean (?1 or ?0)'],
  ])('%j is refused', (header, path, message) => {
    const { value, errors } = parseInfo(header);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([{ path, message }]);
  });

  test('tells every mistake at once', () => {
    expect(parseInfo('preferred-platform=x, report-header-errors=2').errors.map(({ path }) => path)).toEqual([
      'preferred-platform',
      'report-header-errors',
    ]);
  });

  test.each(['preferred-platform=', 'X', ','])('%j is no structured dictionary', (header) => {
    const { value, errors } = parseInfo(header);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([structured]);
  });
});

describe('the JSON of a registration header', () => {
  test.each(['{}', ' {"a":[1,"x",null,true]}\n', 'null', '"text"', '0', '[]'])('%s is read', (text) => {
    expect(parseJsonHeader(text)).toEqual({ value: JSON.parse(text) as unknown, errors: [], warnings: [] });
  });

  test.each([
    '',
    ' ',
    '{',
    "{'a':1}",
    '{"a":1,}',
    '{} x',
    'undefined',
    'NaN',
    '{"a":01}',
    '// x\n{}',
    '\u0000',
  ])('%j is refused', (text) => {
    const { value, errors, warnings } = parseJsonHeader(text);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([
      { path: '', message: expect.stringContaining('must be JSON: ') as string },
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['', 'line 1, column 1: a value is missing'],
    ['{', 'line 1, column 2: "}" is missing at the end of an object'],
    ['{\r\n  "a": 1,\n}', 'line 3, column 1: a name in double quotes is missing'],
    ['{\r  "a": 1 "b": 2}', 'line 2, column 10: "," is missing between two items'],
    ['// x\n{}', 'line 1, column 1: comments are not part of JSON'],
    ['{},', 'line 1, column 3: nothing may come after the end of the value'],
    ['{}, {', 'line 1, column 3: nothing may come after the end of the value'],
    ['{}], [{}', 'line 1, column 3: nothing may come after the end of the value'],
    ['1, 2', 'line 1, column 2: nothing may come after the end of the value'],
  ])('%j is refused at its place', (text, problem) => {
    expect(parseJsonHeader(text).errors.map(english.worded)).toEqual([
      { path: '', message: `must be JSON: ${problem}` },
    ]);
  });

  // RFC 9110, 5.2: who reads a response joins the lines of one field with commas.
  test.each(['{}, {}', '{"a":1},{"a":1}', '{"a":[","]}, {}, {}'])(
    '%j is a header sent more than once',
    (text) => {
      expect(parseJsonHeader(text)).toEqual({
        value: null,
        errors: [{ code: 'header-twice', values: {}, path: '' }],
        warnings: [],
      });
    },
  );

  // Headers hold bytes. The browser's text has a lone surrogate where these are not UTF-8.
  test('what is not UTF-8 is refused at its place, and other characters are not', () => {
    expect(parseJsonHeader('{"a":"\ud800"}').errors.map(english.worded)).toEqual([
      { path: '', message: 'must be UTF-8, which it is not from character 7 on' },
    ]);
    expect(parseJsonHeader('{"a":"🪙\ufffd"}').errors).toEqual([]);
  });

  const pieces = fc
    .array(
      fc.oneof(
        fc.string({
          unit: fc.constantFrom(
            ...['{', '}', '[', ']', ',', ':', '"', "'", '\\', '/', '-', '0', ' ', '\n', '\r', '\t'],
            ...['\u0000', '\u000b', '\u00a0', '\ufeff', '\u2028'],
          ),
          maxLength: 2,
        }),
        fc.constantFrom('\\u12', '1.', 'e', 'E+', '.5', 'true', 'nul', '//x', '/*', '*/', 'NaN', '"a"'),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''));
  const almostJson = fc.tuple(fc.json(), fc.nat(), pieces).map(([json, place, piece]) => {
    const at = place % (json.length + 1);
    return json.slice(0, at) + piece + json.slice(at + 1);
  });

  test('it is what the engine takes for JSON, and else there is a place in one line', () => {
    fc.assert(
      fc.property(fc.oneof(pieces, almostJson), (text) => {
        const { value, errors } = parseJsonHeader(text);
        let expected: unknown;
        try {
          expected = JSON.parse(text, (_, found: unknown) => {
            if (found === Infinity || found === -Infinity) throw new RangeError('no number');
            return found;
          });
        } catch {
          expect(value).toBeNull();
          expect(errors.map(english.mistakeText)).toEqual([
            expect.stringMatching(/^must be (JSON: line \d+, column \d+: .+|sent once in a response, .+)$/),
          ]);
          return;
        }
        expect({ value, errors }).toEqual({ value: expected, errors: [] });
      }),
      { numRuns: 2000 },
    );
  });

  const twice = 'is given twice; the later one counts';

  test.each<[string, string[]]>([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a', 'a']],
    ['{"a":{"b":1,"b":2}}', ['a.b']],
    ['{"a":[{},{"b":1,"b":2}]}', ['a[1].b']],
    ['{"a":{"b":1},"b":2}', []],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"constructor":1,"toString":2}', []],
    ['{"a":"\\"a\\":1","b":"a"}', []],
  ])('%s repeats %j', (text, paths) => {
    const { value, errors, warnings } = parseJsonHeader(text);
    expect(errors).toEqual([]);
    expect(value).toEqual(JSON.parse(text));
    expect(warnings.map(english.worded)).toEqual(paths.map((path) => ({ path, message: twice })));
  });

  // Chromium's JSON reader allows 200 levels.
  test.each([1, 199, 200])('may be nested %s levels deep', (depth) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = `${open.repeat(depth - 1)}[]${close.repeat(depth - 1)}`;
      expect(parseJsonHeader(text)).toEqual({ value: JSON.parse(text) as unknown, errors: [], warnings: [] });
    }
  });

  test.each([201, 1000, 5000, 60_000])('must not be nested %s levels deep', (depth) => {
    const { value, errors } = parseJsonHeader('['.repeat(depth) + ']'.repeat(depth));
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([
      { path: '', message: expect.stringContaining('must be JSON: ') as string },
    ]);
  });
});
