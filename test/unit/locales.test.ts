import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { extensionFiles, messageUses, stringsOf, unnamedWords } from './helpers/extension-words';

type Messages = Readonly<Record<string, { readonly message: string }>>;

const root = path.resolve(__dirname, '../..');
const folder = path.join(root, 'extension/_locales');
const read = (locale: string): Messages =>
  JSON.parse(readFileSync(path.join(folder, locale, 'messages.json'), 'utf8')) as Messages;

const english = read('en');
const names = Object.keys(english);
const locales = readdirSync(folder);
const files = extensionFiles();

/** The parts of a parsed message that this test uses. */
interface Part {
  readonly type: number;
  readonly value?: string;
  readonly children?: readonly Part[];
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
  readonly pluralType?: string | undefined;
}

/** As intl-messageformat numbers the kinds of parts. */
const LITERAL = 0;

/** A message's arguments, with their cases, and its tags. */
const givenTo = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap(({ type, value, children, options = {}, pluralType }) => {
    if (value === undefined || type === LITERAL) return [];
    if (children !== undefined) return [`<${value}>`, ...givenTo(children)];
    const cases = Object.keys(options).sort().join('|');
    const inside = Object.values(options).flatMap((option) => givenTo(option.value));
    // The cases of a plural are the language's own.
    return [value, ...(cases === '' || pluralType !== undefined ? [] : [`${value} ${cases}`]), ...inside];
  });

/** @throws SyntaxError when the message is no ICU message. */
const parse = (locale: string, message: string): readonly string[] =>
  [...new Set(givenTo(new IntlMessageFormat(message, locale).getAst()))].sort();

const inEnglish = new Map(names.map((name) => [name, parse('en', english[name]?.message ?? '')]));

describe.each(locales)('the messages in %s', (locale) => {
  const messages = read(locale);

  it('say which language they are', () => {
    expect(messages['language']?.message).toBe(locale);
  });

  it('have the names of the English ones, in their order', () => {
    expect(Object.keys(messages)).toEqual(names);
  });

  it('are given the same values and tags as the English ones', () => {
    for (const [name, { message }] of Object.entries(messages))
      expect([name, parse(locale, message)]).toEqual([name, inEnglish.get(name)]);
  });

  it('hold nothing that the browser would put something else for', () => {
    expect(Object.entries(messages).filter(([, { message }]) => message.includes('$'))).toEqual([]);
  });
});

describe('the extension', () => {
  it('uses every message', () => {
    const manifest = readFileSync(path.join(root, 'manifest.json'), 'utf8');
    const used = new Set([
      ...files.flatMap(({ tree }) => stringsOf(tree)),
      ...[...manifest.matchAll(/__MSG_(\w+)__/g)].map(([, name]) => name),
    ]);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it('uses only messages that there are, and gives each its values', () => {
    const problems = files.flatMap(({ name: file, tree }) =>
      messageUses(tree).flatMap(({ names: used, values }) =>
        used.flatMap((name) => {
          const wanted = inEnglish.get(name)?.filter((value) => !value.includes(' '));
          if (wanted === undefined) return [`${file}: there is no ${name}`];
          const asGiven = wanted.map((value) => value.replace(/^<|>$/g, '')).sort();
          return values === null || values.join() === asGiven.join()
            ? []
            : [`${file}: ${name} needs ${asGiven.join(', ')}; given ${values.join(', ')}`];
        }),
      ),
    );
    expect(problems).toEqual([]);
  });

  it('writes no words into its elements', () => {
    const found = files.map(({ name, tree }) => ({ name, words: unnamedWords(tree) }));
    expect(found.filter(({ words }) => words.length > 0)).toEqual([]);
  });
});

describe('numbers', () => {
  /** Every way to say a message where each number in it is 1. */
  const sayings = (parts: readonly Part[]): readonly string[] =>
    parts.reduce<readonly string[]>(
      (said, { type, value = '', children, options, pluralType }) => {
        const ways =
          type === LITERAL
            ? [value]
            : children !== undefined
              ? sayings(children)
              : options === undefined
                ? ['1']
                : Object.entries(options)
                    .filter(([option]) => pluralType === undefined || option === 'one' || option === '=1')
                    .flatMap(([, option]) => sayings(option.value));
        return said.flatMap((before) => ways.map((way) => before + way));
      },
      [''],
    );

  /** Messages whose number is never 1 alone, as in "3 of 100 ads". */
  const fine = /\b1 (as|is|has|draws|ads)\b/;

  it.each(names.filter((name) => /plural|\{/.test(english[name]?.message ?? '')))(
    '%s is English for one',
    (name) => {
      const format = new IntlMessageFormat(english[name]?.message ?? '', 'en');
      const wrong = sayings(format.getAst()).filter(
        (said) => /(?<![\d.,:])\b1 [a-z]+s\b/.test(said) && !fine.test(said),
      );
      expect(wrong).toEqual([]);
    },
  );
});
