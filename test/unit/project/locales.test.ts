import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { modelsBeside } from '../../../analysis/credits/models';
import { eventLevelFields } from '../../../formats/reports/event-level-report';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import { checks as englishChecks } from '../../../words/english/checks';
import { dashboard as englishDashboard } from '../../../words/english/dashboard';
import { estimates as englishEstimates } from '../../../words/english/estimates';
import { issues as englishIssues } from '../../../words/english/issues';
import { units as englishUnits } from '../../../words/english/units';
import { checks as germanChecks } from '../../../words/german/checks';
import { dashboard as germanDashboard } from '../../../words/german/dashboard';
import { estimates as germanEstimates } from '../../../words/german/estimates';
import { issues as germanIssues } from '../../../words/german/issues';
import { units as germanUnits } from '../../../words/german/units';
import {
  messageUses,
  sourcesIn,
  propertiesReadIn,
  stringsOf,
  unnamedWords,
  type ParsedFile,
} from '../helpers/message-uses';

type Messages = Readonly<Record<string, string>>;

const root = path.resolve(__dirname, '../../..');
const folder = path.join(root, 'extension/_locales');
const read = (locale: string): Messages =>
  JSON.parse(readFileSync(path.join(folder, `${locale}.json`), 'utf8')) as Messages;

const english = read('en');
const names = Object.keys(english);
const locales = readdirSync(folder).map((file) => path.basename(file, '.json'));
const files = sourcesIn('extension');
const dashboardFiles = sourcesIn('collector/dashboard');

test.each(locales)('no name has two messages in %s, of which only the last would count', (locale) => {
  const text = readFileSync(path.join(folder, `${locale}.json`), 'utf8');
  const written = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, name]) => name ?? '');
  expect(written.length).toBeGreaterThan(1000);
  expect(written).toEqual(Object.keys(read(locale)));
});

/** Another thing in the same word: a bound, a model, an epoch, and "none" of things that other languages may inflect otherwise. */
const SAME_WORD = [
  ...['attack_bound', 'attribution_model_priority', 'credits_without_channel', 'overview_no_seed'],
  ...['requests_no_tab', 'w3c_dropped_none', 'w3c_epoch'],
];

test('what two places say in the same words has one name', () => {
  const inAll = locales.map(read);
  const said = names.map((name) => JSON.stringify(inAll.map((messages) => messages[name])));
  const again = names.filter((_name, index) => said.indexOf(said[index] ?? '') < index);
  expect(again.sort()).toEqual(SAME_WORD);
});

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

const inEnglish = new Map(names.map((name) => [name, parse('en', english[name] ?? '')]));

describe.each(locales)('the messages in %s', (locale) => {
  const messages = read(locale);

  it('say which language they are', () => {
    expect(messages['language']).toBe(locale);
  });

  it('have the names of the English ones, in their order', () => {
    expect(Object.keys(messages)).toEqual(names);
  });

  it('are given the same values and tags as the English ones', () => {
    for (const [name, message] of Object.entries(messages))
      expect([name, parse(locale, message)]).toEqual([name, inEnglish.get(name)]);
  });

  it('hold nothing that the browser would put something else for', () => {
    expect(Object.entries(messages).filter(([, message]) => message.includes('$'))).toEqual([]);
  });
});

/** Uses of messages that there are not, or without the values that they name. */
const wrongUses = (
  sources: readonly ParsedFile[],
  given: ReadonlyMap<string, readonly string[]>,
): readonly string[] =>
  sources.flatMap(({ name: file, tree }) =>
    messageUses(tree).flatMap(({ names: used, values }) =>
      used.flatMap((name) => {
        const wanted = given.get(name)?.filter((value) => !value.includes(' '));
        if (wanted === undefined) return [`${file}: there is no ${name}`];
        const asGiven = wanted.map((value) => value.replace(/^<|>$/g, '')).sort();
        return values === null || values.join() === asGiven.join()
          ? []
          : [`${file}: ${name} needs ${asGiven.join(', ')}; given ${values.join(', ')}`];
      }),
    ),
  );

const wordsInElements = (sources: readonly ParsedFile[]): readonly object[] =>
  sources
    .map(({ name, tree }) => ({ name, words: unnamedWords(tree) }))
    .filter(({ words }) => words.length > 0);

describe('the dashboard', () => {
  const given = new Map(
    Object.entries(englishDashboard).map(([name, message]) => [name, parse('en', message)]),
  );

  it('says in German what it says in English, with the same values and tags', () => {
    expect(Object.keys(germanDashboard)).toEqual([...given.keys()]);
    for (const [name, message] of Object.entries(germanDashboard))
      expect([name, parse('de', message)]).toEqual([name, given.get(name)]);
  });

  it('uses every message, and gives each its values', () => {
    const used = new Set(
      dashboardFiles.flatMap(({ tree }) => [...stringsOf(tree), ...propertiesReadIn(tree)]),
    );
    expect([...given.keys()].filter((name) => !used.has(name))).toEqual([]);
    expect(wrongUses(dashboardFiles, given)).toEqual([]);
  });

  it('writes no words into its elements', () => {
    expect(wordsInElements(dashboardFiles)).toEqual([]);
  });
});

/** The messages that the entries of the options name by their beginning. */
function ofSettings(): readonly string[] {
  const entries = readFileSync(path.join(root, 'extension/pages/views/options/entries.ts'), 'utf8');
  return [...entries.matchAll(/\b(entry|onOrOff|shaped)\(\s*'[^']*',\s*'(\w+)'/g)].flatMap(
    ([, kind, name = '']) =>
      ['title', 'meaning', ...(kind === 'onOrOff' ? [] : ['range'])].map((end) => `${name}_${end}`),
  );
}

/** The titles of columns, which follow from their keys. */
const ofColumns = (): readonly string[] =>
  readdirSync(path.join(root, 'extension/pages/tables')).flatMap((name) => {
    const table = readFileSync(path.join(root, 'extension/pages/tables', name), 'utf8');
    return [...table.matchAll(/\bcolumn\(\s*'(\w+)'/g)].map(([, key = '']) => `tables_column_${key}`);
  });

describe('the extension', () => {
  it('uses every message', () => {
    const manifest = readFileSync(path.join(root, 'manifest.json'), 'utf8');
    const used = new Set([
      ...files.flatMap(({ tree }) => stringsOf(tree)),
      ...[...manifest.matchAll(/__MSG_(\w+)__/g)].map(([, name]) => name),
      // Their names follow from the models (extension/pages/words/model-names.ts).
      ...modelsBeside(defaultMeasurement.attribution).map(
        ({ kind }) => `attribution_model_${kind.replaceAll('-', '_')}`,
      ),
      // Those of reports' fields (extension/pages/explain/report-body.ts), settings and columns are used without values.
      ...[
        ...Object.values(eventLevelFields).map(({ name }) => `report_field_${name}`),
        ...ofSettings(),
        ...ofColumns(),
      ].filter((name) => inEnglish.get(name)?.length === 0),
    ]);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it('uses only messages that there are, and gives each its values', () => {
    expect(wrongUses(files, inEnglish)).toEqual([]);
  });

  it('writes no words into its elements', () => {
    expect(wordsInElements(files)).toEqual([]);
  });
});

/** The messages of the extension, the dashboard and the words. */
const inEnglishTables = [
  english,
  ...[englishDashboard, englishChecks, englishEstimates, englishIssues, englishUnits],
].flatMap(Object.entries<string>);
const inGermanTables = [
  read('de'),
  ...[germanDashboard, germanChecks, germanEstimates, germanIssues, germanUnits],
].flatMap(Object.entries<string>);
const all = new Map(inEnglishTables);
const inGerman = new Map(inGermanTables);

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
  const fine = /\b1 (as|is|has|was|draws|ads|reports of|comes|fits)\b/;

  /** Their numbers are limits of ours, or above one of them. */
  const NEVER_ONE = new Set([
    ...['bytes', 'bytes-up-to', 'short-string', 'short-text', 'too-long', 'cut-header', 'long-key'],
    ...['json-depth', 'json-blank', 'too-many-languages'],
    // One in 20 and in 125.
    'consent_leaves_aggregatable',
  ]);

  it.each([...all.keys()].filter((name) => all.get(name)?.includes('{') === true && !NEVER_ONE.has(name)))(
    '%s is English for one',
    (name) => {
      const format = new IntlMessageFormat(all.get(name) ?? '', 'en');
      const wrong = sayings(format.getAst()).filter(
        (said) => /(?<![\d.,:])\b1 [a-z]+s\b/.test(said) && !fine.test(said),
      );
      expect(wrong).toEqual([]);
    },
  );

  /** The values by which a message chooses a plural. */
  const counted = (parts: readonly Part[]): readonly string[] =>
    parts.flatMap(({ value = '', children = [], options = {}, pluralType }) => [
      ...(pluralType === undefined ? [] : [value]),
      ...counted(children),
      ...Object.values(options).flatMap((option) => counted(option.value)),
    ]);
  const countedIn = (language: string, message = ''): ReadonlySet<string> =>
    new Set(counted(new IntlMessageFormat(message, language).getAst()));

  /** Their German noun has no other plural: "1 Bit" and "2 Bit". */
  const UNCHANGED = [
    'too-many-keys max',
    'channel-capacity limit',
    'scopes-channel-capacity limit',
    'consent_promise factor',
    'consent_joint_limit factor',
  ];

  it('are German for one wherever they are English for one', () => {
    const missing = [...all].flatMap(([name, message]) => {
      const there = countedIn('de', inGerman.get(name));
      return [...countedIn('en', message)]
        .filter((value) => !there.has(value))
        .map((value) => `${name} ${value}`);
    });
    expect(missing.sort()).toEqual(UNCHANGED.toSorted());
  });

  /** What a message prints as it is written. */
  const literals = (parts: readonly Part[]): readonly string[] =>
    parts.flatMap(({ type, value = '', children = [], options = {} }) => [
      ...(type === LITERAL ? [value] : []),
      ...literals(children),
      ...Object.values(options).flatMap((option) => literals(option.value)),
    ]);

  // ICU replaces a # only directly inside a plural; a select inside the plural ends that.
  it.each([
    ['en', inEnglishTables],
    ['de', inGermanTables],
  ] as const)('are not printed as # (%s)', (language, messages) => {
    const printed = messages.filter(([, message]) =>
      literals(new IntlMessageFormat(message, language).getAst()).some((text) => text.includes('#')),
    );
    // The sign itself.
    expect(printed.map(([name]) => name)).toEqual(['site_private']);
  });

  it('address the reader as Sie in German', () => {
    const familiar =
      /\b(du|dich|dir|deine?[mnrs]?)\b|\b(wähle|leere|sende|gib) (das|die|den|sie|weniger)\b/iu;
    expect(inGermanTables.filter(([, message]) => familiar.test(message)).map(([name]) => name)).toEqual([]);
  });
});
