import fc from 'fast-check';
import { printParseErrorCode, visit } from 'jsonc-parser';
import { readJsonText } from '../../../formats/codec/json-text';

const blank = fc.constantFrom('', ' ', '\n\t');
const name = fc.constantFrom('a', 'b', 'a longer field name', '\\u0061', '\\"', '', '__proto__', '0');
const number = fc.constantFrom('0', '-1.5e-3', '1e999', '-1E+400', '9'.repeat(309), '1e308');
const text = fc.constantFrom('"x"', '"a:{[,1e999"', '"\\\\"', '"\\"}"', 'true', 'null');

/** JSON as servers may write it: with white space, repeated fields and numbers that no double holds. */
const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, text, number, tie('list'), { arbitrary: tie('object'), weight: 6 }),
  list: fc
    .tuple(fc.array(tie('json'), { maxLength: 4 }), blank)
    .map(([items, space]) => `[${space}${items.join(`,${space}`)}]`),
  object: fc
    .tuple(fc.array(fc.tuple(name, tie('json')), { maxLength: 5 }), blank)
    .map(
      ([fields, space]) =>
        `{${fields.map(([key, value]) => `${space}"${key}"${space}:${value}`).join(',')}${space}}`,
    ),
}));

/** What another parser sees: the paths of repeated fields, and the place of the first number that no double holds. */
function seenByVisitor(of: string): { readonly repeated: string[]; readonly infinite: number | null } {
  const repeated: string[] = [];
  let infinite: number | null = null;
  const names: Set<string>[] = [];
  visit(of, {
    onObjectBegin: () => void names.push(new Set()),
    onObjectEnd: () => void names.pop(),
    onObjectProperty: (field, _offset, _length, _line, _column, path) => {
      if (names.at(-1)?.has(field) === true)
        repeated.push(
          [...path(), field].reduce<string>(
            (before, step) =>
              typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`,
            '',
          ),
        );
      names.at(-1)?.add(field);
    },
    onLiteralValue: (value: unknown, offset) => {
      if (value === Infinity || value === -Infinity) infinite ??= offset;
    },
  });
  return { repeated, infinite };
}

test('the repeated fields and the numbers that no double holds are those that another parser finds', () => {
  let [withRepeated, withInfinite] = [0, 0];
  fc.assert(
    fc.property(json, (of) => {
      const { value, problem, warnings } = readJsonText(of);
      const { repeated, infinite } = seenByVisitor(of);
      if (infinite !== null) {
        withInfinite += 1;
        const lines = of.slice(0, infinite).split('\n');
        const values = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
        expect({ value, problem, warnings }).toEqual({
          value: null,
          problem: { code: 'json-number', values },
          warnings: [],
        });
        return;
      }
      if (repeated.length > 0) withRepeated += 1;
      expect(problem).toBeNull();
      expect(value).toEqual(JSON.parse(of));
      expect(
        warnings
          .filter(({ path }) => path !== '' || repeated.includes(''))
          .slice(0, 20)
          .map(({ path }) => path),
      ).toEqual(repeated.slice(0, 20));
    }),
    { numRuns: 2000 },
  );
  expect(withRepeated).toBeGreaterThan(100);
  expect(withInfinite).toBeGreaterThan(100);
});

test('a text with one character removed has the mistake that another parser finds first', () => {
  fc.assert(
    fc.property(json, fc.nat(), (whole, where) => {
      const at = where % whole.length;
      const of = whole.slice(0, at) + whole.slice(at + 1);
      const { problem } = readJsonText(of);
      if (problem?.code !== 'json-syntax') return;
      let first: string | null = null;
      visit(
        of,
        { onError: (error) => void (first ??= printParseErrorCode(error)) },
        { disallowComments: true },
      );
      expect(() => JSON.parse(of) as unknown).toThrow(SyntaxError);
      expect(problem.values.error).toBe(first);
    }),
  );
});

test.each([
  ['[', ']'],
  ['{"a":', '}'],
])('200 levels of %s are read, and 201 are not, whether the text ends well or not', (open, close) => {
  const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
  expect(readJsonText(nested(200))).toMatchObject({ problem: null });
  expect(readJsonText(nested(201))).toMatchObject({ problem: { code: 'json-depth' } });
  expect(readJsonText(open.repeat(201))).toMatchObject({ problem: { code: 'json-depth' } });
  expect(readJsonText(nested(1_000_000))).toMatchObject({ problem: { code: 'json-depth' } });
});

test('brackets in lists of lists count only while they are open', () => {
  expect(readJsonText(` [${'[],'.repeat(1000)}[]]`).problem).toBeNull();
});
