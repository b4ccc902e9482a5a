/** Text of about so many characters. */
export type Shape = (size: number) => string;

export const repeated =
  (part: string, before = '', after = ''): Shape =>
  (size) =>
    before + part.repeat(Math.max(1, Math.ceil(size / part.length))) + after;

/** What separates or begins something in a format that is read anywhere here. */
const MARKS = '#&,;:%\\"\'`()[]{}<>=?/.*@|+-_~ \t\n\r\0'.split('');

/**
 * One of everything, again and again; one long token of each kind, and the same with an end that does not fit, so that whoever tries from
 * every start goes through all of it; nested to the middle; and rows of pairs.
 */
export const shapes: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    MARKS.flatMap((mark): (readonly [string, Shape])[] => [
      [`${JSON.stringify(mark)} alone`, repeated(mark)],
      [`${JSON.stringify(mark)} between letters`, repeated(`a${mark}`)],
      [`letters and a last ${JSON.stringify(mark)}`, repeated('a', '', mark)],
    ]),
  ),
  ...Object.fromEntries(
    ['a', 'A', '0', '9', 'ä', '€', '😀', '\u0301', '%41', '\\u0061'].flatMap(
      (letter): (readonly [string, Shape])[] => [
        [`one token of ${JSON.stringify(letter)}`, repeated(letter)],
        [`one token of ${JSON.stringify(letter)} with another end`, repeated(letter, '', '!')],
      ],
    ),
  ),
  'brackets in brackets': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'fields in fields': (size) => '{"a":'.repeat(size / 6) + '0' + '}'.repeat(size / 6),
  'quoted texts': repeated('"a",'),
  'escaped quotes': repeated('\\"', '"', '"'),
  'names and values': repeated('a=1&'),
  words: repeated('word '),
  lines: repeated('a,b\n'),
  'a URL with a long path': repeated('a/', 'https://a.example/'),
  'a URL with a long query': repeated('a=b&', 'https://a.example/?'),
  'a URL with a long fragment': repeated('#', 'https://a.example/#'),
  'a URL with a long host': repeated('a.', 'https://', 'example'),
  'a URL with a long user': repeated('a:', 'https://', '@a.example'),
};

/** For what takes long to call: one of everything, again and again, and URLs. */
export const fewShapes: Readonly<Record<string, Shape>> = Object.fromEntries(
  Object.entries(shapes).filter(([name]) => !/letters|with another end/.test(name)),
);

let texts = 0;

/** JSON that grows at one place each: a text, a list or an object becomes long there. Each place grows in the first document that has it. */
export function grownJson(seeds: readonly unknown[]): readonly (readonly [name: string, grow: Shape])[] {
  const places = new Map<string, PlaceInSeed>();
  for (const place of seeds.flatMap((seed) => placesIn(seed)))
    if (!places.has(place.path)) places.set(place.path, place);
  return [...places].flatMap(([path, { value, withValue }]) => {
    const at = path === '' ? 'the document' : path;
    const text = (name: string, shape: Shape): readonly [string, Shape] => [
      `${at}: ${name}`,
      (size) => JSON.stringify(withValue(shape(size))),
    ];
    const items = (name: string, item: (index: number) => unknown): readonly [string, Shape] => [
      `${at}: ${name}`,
      (size) => {
        const count = Math.ceil(size / (JSON.stringify(item(0)).length + 1));
        return JSON.stringify(withValue(Array.from({ length: count }, (_, index) => item(index))));
      },
    ];
    const fields: readonly [string, Shape] = [
      `${at}: many fields`,
      (size) =>
        JSON.stringify(
          withValue(
            Object.fromEntries(
              Array.from({ length: Math.ceil(size / 16) }, (_, index) => [`k${index}`, value]),
            ),
          ),
        ),
    ];
    return [
      text('digits', repeated('9', '1')),
      // Where no text is expected, one text is refused as every other.
      ...(typeof value === 'boolean' || (typeof value === 'object' && value !== null)
        ? []
        : [
            text('hexadecimal digits', repeated('f', '0x')),
            text('a fraction', repeated('3', '1/')),
            text('a decimal fraction', repeated('0', '0.', '1')),
            text('digits with another end', repeated('9', '', '!')),
            text('Base64', repeated('AAAA')),
            text('a long host', repeated('a.', 'https://', 'example')),
            text('ports', repeated(':80', 'http://localhost', '/')),
          ]),
      items('many of it', () => value),
      items('many numbers', (index) => index),
      // No text comes again, so that nothing is remembered of it.
      items('many texts', () => `t${texts++}`),
      ...(JSON.stringify(value).length < 200 ? [fields] : []),
    ];
  });
}

/** Objects whose names their document chose itself. */
const DICTIONARY =
  /(^|\.)(filter_data|(not_)?filters(\[0\])?|aggregation_keys|named_budgets|aggregatable_values|values)$/;

interface PlaceInSeed {
  /** Names that a document chose itself are `*`. */
  readonly path: string;
  readonly value: unknown;
  readonly withValue: (value: unknown) => unknown;
}

function placesIn(
  seed: unknown,
  path = '',
  withValue: PlaceInSeed['withValue'] = (value) => value,
): readonly PlaceInSeed[] {
  const here = { path, value: seed, withValue };
  if (Array.isArray(seed)) {
    const [first] = seed as readonly unknown[];
    return seed.length === 0
      ? [here]
      : [
          here,
          ...placesIn(first, `${path}[0]`, (value) =>
            withValue([value, ...(seed as readonly unknown[]).slice(1)]),
          ),
        ];
  }
  if (typeof seed !== 'object' || seed === null) return [here];
  return [
    here,
    ...Object.entries(seed).flatMap(([name, inner]) =>
      placesIn(inner, pathOf(path, DICTIONARY.test(path) ? '*' : name), (value) =>
        withValue({ ...seed, [name]: value }),
      ),
    ),
  ];
}

const pathOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
