import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import english from '../../extension/_locales/en/mistakes.json';
import * as inEnglish from '../../extension/mistakes';
import type { Mistakes } from '../../extension/mistakes';
import { translator } from '../../extension/translator';
import { chromiumLimits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { defaultSettings } from '../../src/model/settings';
import { decideRegistration } from '../../src/recording/decide-registration';
import { parseInfo, parseJsonHeader } from '../../src/registration/header';
import type { Issue } from '../../src/parsing/issues';
import { readJsonText } from '../../src/parsing/json-text';
import { parseSource } from '../../src/registration/source';
import { parseTrigger } from '../../src/registration/trigger';
import { parseSettings } from '../../src/settings/parse-settings';
import { parseTrial } from '../../src/settings/parse-trial';
import { parseSnapshot } from '../../src/snapshot/snapshot';
import { extensionFiles } from './helpers/extension-words';
import { SAMPLE, saidMistakes } from './helpers/said-mistakes';

const folder = path.resolve(__dirname, '../../extension/_locales');
const read = (locale: string): Mistakes =>
  JSON.parse(readFileSync(path.join(folder, locale, 'mistakes.json'), 'utf8')) as Mistakes;
const locales = readdirSync(folder);
const others = locales.filter((locale) => locale !== 'en');
const ids = Object.keys(english) as (keyof Mistakes)[];

const valuesOf = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Values that are words of the code itself. */
const OF_THE_CODE = ['parameter', 'field', 'other'];

/** A language in which a sentence is its id and its values, but for words of the code. */
const marked = translator(
  english,
  Object.fromEntries(
    ids.map((id) => {
      const values = valuesOf(english[id]).filter((name) => !OF_THE_CODE.includes(name));
      return [id, `⟨${id}${values.map((name) => ` {${name}}`).join('')}⟩`];
    }),
  ) as unknown as Mistakes,
);
const idsIn = (text: string): readonly string[] =>
  [...marked(text).matchAll(/⟨(\w+)/g)].map(([, id = '']) => id);

describe.each(locales)('the mistakes in %s', (locale) => {
  const mistakes = read(locale);

  it('have the ids of the English ones, in their order', () => {
    expect(Object.keys(mistakes)).toEqual(ids);
  });

  it('name no other values than the English ones', () => {
    for (const id of ids)
      expect([id, valuesOf(mistakes[id]).filter((name) => !valuesOf(english[id]).includes(name))]).toEqual([
        id,
        [],
      ]);
  });
});

it('in English, no values of a sentence touch each other or share a name', () => {
  expect(ids.filter((id) => english[id].includes('}{'))).toEqual([]);
  expect(ids.filter((id) => new Set(valuesOf(english[id])).size !== valuesOf(english[id]).length)).toEqual(
    [],
  );
});

const choices = ['"a"', '"a" or "b"', '"a" or "b" or "c" or "d" or "e" or "f" or "g" or "h"'].map((text) =>
  text.replaceAll(/[a-h](?=")/g, SAMPLE),
);

/** What `decideRegistration` puts behind the name of the header, read off its parser. */
const infoProblems = [
  'preferred-platform=x',
  'report-header-errors=2',
  'preferred-platform=x, report-header-errors=2',
]
  .map((header) =>
    parseInfo(header)
      .errors.map(({ path: name, message }) => `${name} ${message}`)
      .join(', '),
  )
  .concat(`must be a structured dictionary: ${SAMPLE}`);

/** What `parseJsonHeader` puts behind "must be JSON", read off its reader. */
const jsonProblems = ['{', '['.repeat(201)]
  .map((text) =>
    (readJsonText(text).problem ?? '').replace(/\d+(?=, )|\d+(?= levels)|\d+: .*$/g, (found) =>
      found.replace(/\d+|\w+$/g, SAMPLE),
    ),
  )
  .concat('this browser reads it otherwise');

/** Texts whose words are written elsewhere, by file and code. */
const elsewhere = new Map<string, readonly string[]>([
  ['src/parsing/fields.ts: choices.map((candidate) => `"${candidate}"`).join(\' or \')', choices],
  [
    "src/recording/registration-of.ts: info.errors.map(({ path, message }) => `${path} ${message}`.trim()).join(', ')",
    infoProblems,
  ],
  // What anything says, put in its place; the wording of `lenient` itself is looked at below.
  ['src/parsing/issues.ts: message', []],
  ['src/parsing/issues.ts: mustBe(what, this.value)', []],
  ['extension/mistakes.ts: mistakeText(message)', []],
  ['src/parsing/issues.ts: `${message} (ignored)`', []],
  // What `requireContiguous` and `clamp` say, they are seen to say in their own calls; the latter a number.
  ['src/registration/trigger-specs.ts: message', []],
  ['src/registration/report-windows.ts: clamped', []],
  // Written in the table above it.
  [
    'src/settings/parse-trial.ts: reason',
    ['debug', 'paused', 'pausedSites'].flatMap((name) =>
      parseTrial({ settings: { [name]: null } })
        .errors.filter((error) => error.path === `settings.${name}`)
        .map(({ message }) => message)
        .slice(0, 1),
    ),
  ],
  ['src/registration/header.ts: problem', jsonProblems],
  // A `ParameterError`, or the reason of `registeredBy`: where they are made, they are looked at.
  ['src/settings/parse-mechanisms.ts: error.message', []],
  ['src/recording/registration-of.ts: registered.reason', []],
  // Says it to nobody: the message of a content script is dropped.
  ["extension/background/content-messages.ts: 'must fit its eligibility'", []],
]);

describe('what the code can say is wrong', () => {
  const { said, unresolved, unused } = saidMistakes(elsewhere);

  it('is found in the code, or followed to where it is', () => {
    expect(unresolved).toEqual([]);
    expect(unused).toEqual([]);
  });

  it('is known to the letter', () => {
    const unknown = said.filter(({ sentence }) => {
      const values = marked(sentence).replaceAll(/⟨\w+|⟩/g, '');
      return idsIn(sentence).length === 0 || values.replaceAll(SAMPLE, '').trim() !== '';
    });
    expect(unknown).toEqual([]);
  });

  it.each(others)('is said in other words in %s', (locale) => {
    const translate = translator(english, read(locale));
    expect(said.filter(({ sentence }) => translate(sentence) === sentence)).toEqual([]);
  });

  it('is all that is translated', () => {
    const used = new Set(['ignored', ...said.flatMap(({ sentence }) => idsIn(sentence))]);
    expect(ids.filter((id) => !used.has(id))).toEqual([]);
  });
});

it('nothing in the extension says mistakes but in the reader’s language', () => {
  const english = /import \{[^}]*\bissues?Text\b[^}]*\} from '[./]+src\/parsing\/issues'/;
  expect(extensionFiles().flatMap(({ name, tree }) => (english.test(tree.text) ? [name] : []))).toEqual([
    'mistakes.ts',
  ]);
});

/** Text from outside that looks as mistakes do. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ', was ',
        ' (ignored)',
        '{what}',
        '{value}',
        '\n',
        '"',
        '…',
        ' must be ',
        'must be a list, was 3',
      ),
      fc.constantFrom(
        'a string',
        '" or "',
        'must be JSON: ',
        'prior',
        'Attribution-Reporting-Info ',
        ' characters',
        '$&',
      ),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

/** As `mustBe` shows them: cut off when they are long. */
const shown = fc.oneof(hostile, fc.jsonValue()).map((value) => {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
});

/** What stands for each kind of value: what comes from outside, what is a text of the code, and else numbers. */
const given: Readonly<Record<string, (depth: number) => fc.Arbitrary<string>>> = {
  value: () => shown,
  key: () => shown,
  id: () => hostile,
  name: () => hostile,
  choice: () => fc.constantFrom('lossless', 'rr-on-bins'),
  parameter: () => fc.constantFrom('values[3]', 'prior', 'past values', 'weights[0][12]'),
  field: () => fc.constantFrom('preferred-platform', 'report-header-errors'),
  // No text of a browser or library ends as `lenient` would have it.
  problem: () => hostile.map((text) => `${text}.`),
  what: (depth) => sentenceOf((id) => id.startsWith('what_'), depth + 1).map(({ text }) => text),
  mistake: (depth) =>
    sentenceOf((id) => !id.startsWith('what_') && id !== 'ignored' && !id.startsWith('info'), depth + 1).map(
      ({ text }) => text,
    ),
};

interface Sentence {
  readonly id: string;
  readonly text: string;
}

/** A sentence as the code would say it, with any values. */
function sentenceOf(isWanted: (id: keyof Mistakes) => boolean, depth = 0): fc.Arbitrary<Sentence> {
  const wanted = ids.filter((id) => isWanted(id) && (depth < 5 || !english[id].includes('{what}')));
  return fc.constantFrom(...wanted).chain((id) => {
    const names = valuesOf(english[id]);
    return fc
      .tuple(...names.map((name) => given[name]?.(depth) ?? fc.integer({ min: -5 }).map(String)))
      .map((values) => ({
        id,
        text: english[id].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[names.indexOf(name)] ?? ''),
      }));
  });
}

const whole = sentenceOf((id) => !id.startsWith('what_'));

describe('a mistake with values that may hold anything', () => {
  it('is taken for what it is', () => {
    fc.assert(
      fc.property(whole, ({ id, text }) => expect([text, idsIn(text)[0]]).toEqual([text, id])),
      { numRuns: 3000 },
    );
  });

  it('is said with its values to the last character', () => {
    const same = translator(english, english);
    fc.assert(
      fc.property(whole, ({ text }) => expect(same(text)).toBe(text)),
      { numRuns: 1000 },
    );
    fc.assert(fc.property(hostile, (text) => expect(same(text)).toBe(text)));
  });

  const german = translator(english, read('de'));

  it.each([
    [
      'must be an integer from 1 to 20, was ", was 3"',
      'muss eine ganze Zahl von 1 bis 20 sein, war ", was 3"',
    ],
    ['must be "a" or "b" or "c", was null', 'muss "a" oder "b" oder "c" sein, war null'],
    ['must be true or false, was "\\n" (ignored)', 'muss true oder false sein, war "\\n" (wird ignoriert)'],
    ['must be a list, was "x must be a list, was 3"', 'muss eine Liste sein, war "x must be a list, was 3"'],
    [
      'must be JSON: nested more than 200 levels deep',
      'muss JSON sein: mehr als 200 Ebenen tief verschachtelt',
    ],
    ['must be JSON: Unexpected end of input', 'muss JSON sein: Unexpected end of input'],
    ['prior[2] must be from 0 to 1, was "{sum}"', 'prior[2] muss von 0 bis 1 gehen, war "{sum}"'],
    ['capacity: 12.3 of 11.5', 'capacity: 12.3 of 11.5'],
    ['', ''],
  ])('%j is %j in German', (text, expected) => {
    expect(german(text)).toBe(expected);
  });

  it.each([
    ['commas', ', was '],
    ['ignored', ' (ignored)'],
    ['choices', '"a" or '],
    ['parts', 'must be '],
    ['spaces', ' '],
    ['line breaks', '\n'],
  ])('takes no longer than its length warrants: %s', (_, piece) => {
    const long = piece.repeat(50_000);
    for (const text of [
      long,
      `must be a list, was ${long}`,
      `must be ${long}, was 3 (ignored)`,
      `must be JSON: ${long}`,
    ])
      expect(german(text).length).toBeGreaterThanOrEqual(text.length / 2);
  });
});

/** JSON that has some of the fields which parsers look for, with anything in them. */
const fields = [
  ...['destination', 'expiry', 'source_event_id', 'event_report_windows', 'event_report_window', 'end_times'],
  ...[
    'trigger_data',
    'trigger_specs',
    'summary_buckets',
    'max_event_level_reports',
    'filter_data',
    'debug_key',
  ],
  ...[
    'attribution_scopes',
    'limit',
    'values',
    'aggregatable_values',
    'event_trigger_data',
    'filters',
    'rules',
    'on',
  ],
  ...[
    'attribution',
    'labelNoise',
    'kind',
    'prior',
    'budget',
    'unit',
    'cap',
    'epsilon',
    'collector',
    'information',
  ],
  ...[
    'id',
    'title',
    'end',
    'settings',
    'debug',
    'tables',
    'log',
    'aggregation_keys',
    'named_budgets',
    'matches',
  ],
];
const documents = fc.letrec<{ document: Json; value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.constantFrom<Json[]>(
      'rr-on-bins',
      'exponential',
      'click',
      'user',
      '3600',
      0.5,
      [0.5, 0.5],
      [0, 7],
      1e10,
      -1,
    ),
    tie('document'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
  document: fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 12 }),
})).document;

it.each<
  [string, (document: Json) => { readonly errors: readonly Issue[]; readonly warnings: readonly Issue[] }]
>([
  ['sources', (json) => parseSource(json, 'event', chromiumLimits)],
  ['triggers', (json) => parseTrigger(json, chromiumLimits)],
  ['settings', (json) => parseSettings(json, defaultSettings)],
  ['trials', parseTrial],
  ['snapshots', parseSnapshot],
  ['headers', (json) => parseJsonHeader(`{"a":1,"a":${JSON.stringify(json).slice(0, -1)}`)],
])('whatever is wrong with %s is known', (_, parser) => {
  fc.assert(
    fc.property(documents, (document) => {
      const { errors, warnings } = parser(document);
      expect([...errors, ...warnings].filter(({ message }) => idsIn(message).length === 0)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it('a response that registers nothing because of its registration info is known', () => {
  const reason = (info: string): string => {
    const headers = { source: '{}', trigger: null, osSource: false, osTrigger: false, info };
    const result = decideRegistration({ headers, eligibility: 'unset' } as unknown as Parameters<
      typeof decideRegistration
    >[0]);
    return result.kind === 'ignored' ? result.reason : '';
  };
  expect(idsIn(reason('preferred-platform=x'))).toEqual(['info_field', 'info_platform']);
  expect(idsIn(reason('"'))).toEqual(['info_dictionary']);
});

/** The module as it is in a browser with that language. */
function inBrowserOf(locale: string): typeof inEnglish {
  const i18n = { getUILanguage: () => locale, getMessage: () => locale };
  jest.resetModules();
  jest.doMock('webextension-polyfill', () => ({ __esModule: true, default: { i18n } }));
  return jest.requireActual('../../extension/mistakes');
}

describe.each(others)('in a browser in %s', (locale) => {
  const said = translator(english, read(locale))('must be a list, was 3');
  const { issueText, mistakeText: text, textWithPath: withPath } = inBrowserOf(locale);

  it('mistakes are said in it', () => {
    expect(text('must be a list, was 3')).toBe(said);
    expect(issueText({ path: 'a b', message: 'must be a list, was 3' })).toBe(`a b: ${said}`);
  });

  it.each(['', 'expiry ', 'filter_data.the size ', 'filter_data.must be a list, '])(
    'behind the path %j',
    (before) => {
      expect(withPath(`${before}must be a list, was 3`)).toBe(before + said);
    },
  );

  it.each(['', ' ', 'capacity: 12 of 11.5', '"a" "b" "c" "d" "e" must be a list, was 3'])(
    '%j is left as it is',
    (other) => {
      expect(withPath(other)).toBe(other);
    },
  );
});

it('in English, everything is said as it is', () => {
  const { issuesText, mistakeText, textWithPath } = inEnglish;
  const issue = { path: 'expiry', message: 'must be a list, was 3' };
  expect(mistakeText(issue.message)).toBe(issue.message);
  expect(textWithPath('expiry must be a list, was 3')).toBe('expiry must be a list, was 3');
  expect(issuesText([issue, { ...issue, path: '' }])).toBe(
    'expiry: must be a list, was 3; must be a list, was 3',
  );
});
