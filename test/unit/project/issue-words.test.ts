import { printParseErrorCode } from 'jsonc-parser';
import {
  expectation,
  mistake,
  type Expectation,
  type ExpectationValues,
  type Issue,
  type Mistake,
  type MistakeValues,
} from '../../../formats/codec/mistakes';
import { parseJsonHeader } from '../../../formats/registration/header';
import { english } from '../../../words/english';
import { german } from '../../../words/german';
import type { IssueWords } from '../../../words/issues';

/** Values for each code. */
const samples: ExpectationValues & MistakeValues = {
  object: {},
  boolean: {},
  string: {},
  'short-string': { max: 101 },
  'short-text': { max: 801 },
  'non-empty-string': {},
  choice: { choice: 'x102' },
  choices: { choice: 'x103', other: expectation('uuid') },
  'integer-from': { min: 104 },
  'integer-range': { min: 105, max: 106 },
  'number-range': { min: 107, max: 108 },
  'positive-number': { max: 109 },
  'finite-number': {},
  uint64: {},
  int64: {},
  positive: {},
  'positive-up-to': { max: 110 },
  'positive-for-estimate': {},
  'exact-number': {},
  list: {},
  pair: {},
  'distinct-numbers': {},
  'one-of': { values: 'x112' },
  'one-of-values': { values: 'x113' },
  'not-negative-for-poisson': {},
  'finite-variance': {},
  'above-tau': { tau: 'x114' },
  'probability-per-state': { states: 'x115' },
  'key-piece': {},
  'filtering-id': { bytes: 116 },
  destination: {},
  sites: {},
  site: {},
  'site-of-report': {},
  'sites-of-report': {},
  'secure-site': {},
  'site-name': {},
  origin: {},
  'origin-or-null': {},
  'match-pattern': {},
  time: {},
  'time-or-milliseconds': {},
  'not-seconds': {},
  'epoch-seconds': {},
  'epoch-milliseconds': {},
  'recent-time': {},
  'source-time': {},
  'trial-id': {},
  'string-with-count': {},
  'string-with-bits': {},
  'one-character': {},
  'known-in-time': {},
  uuid: {},
  base64: {},
  base64url: { count: 901 },
  bytes: { count: 192 },
  'token-key': {},
  'sealing-key': {},
  'bytes-up-to': { max: 193 },
  payload: {},
  'bucket-bounds': {},
  'feature-name': {},
  'feature-value': {},
  'json-registration': {},
  'same-as-registration': { other: 'x117' },
  'same-configuration': { id: 'x118' },
  'known-configuration': {},
  'json-syntax': { line: 119, column: 120, error: 'x121' },
  'json-depth': { max: 122 },
  'json-blank': { max: 123_456 },
  'json-engine': {},
  'info-invalid': {
    problems: [
      { ...mistake('not-a-platform'), path: 'preferred-platform' },
      { ...mistake('not-a-flag'), path: 'report-header-errors' },
    ],
  },
  'source-and-trigger': {},
  'not-eligible': { eligibility: 'x123' },
  'no-eligible-click': { lack: 'attribute' },
  'trigger-on-redirect': {},
  'unknown-header': { name: 'x123', meant: 'x124' },
  'os-only': {},
  'no-preferred-platform': {},
  'os-preferred': {},
  'no-reporting-origin': {},
  'page-unknown': {},
  'permissions-policy': {},
  'no-navigation': {},
  'no-source-on-way': {},
  'page-not-secure': {},
  'not-shown': {},
  'eligibility-unknown': {},
  'no-registration': { status: 404, redirects: 0 },
  'private-network': {},
  'not-public': {},
  'other-scopes': {},
  'must-be': { what: expectation('uuid'), was: 'x125' },
  ignored: { problem: mistake('reserved-key') },
  'not-csv': {},
  'not-json': { problem: { code: 'json-engine', values: {} } },
  'too-long': { length: 190, max: 191 },
  'cut-header': { length: 192, kept: 193 },
  'more-issues': { count: 194 },
  'json-number': { line: 195, column: 196 },
  'not-recorded': {},
  'too-many': { count: 197 },
  'too-many-messages': { count: 198 },
  'no-room': {},
  'not-a-dictionary': { problem: 'x126' },
  'not-a-platform': {},
  'not-a-flag': {},
  'unknown-field': {},
  'missing-field': { name: 'x127' },
  'missing-fields': { name: 'x128', other: 'x129' },
  'repeated-field': {},
  'field-twice': {},
  'header-twice': {},
  'not-utf-8': { column: 901 },
  'field-beside': { other: 'x130' },
  'uncapped-method': { method: 'x899' },
  'too-few-items': { min: 131, count: 132 },
  'too-many-items': { max: 133, count: 134 },
  'too-many-to-solve': { max: 136, count: 137 },
  'too-many-keys': { max: 135, count: 136 },
  'too-many-values': { max: 137, count: 138 },
  'repeated-item': { item: 'x139' },
  'repeated-value': {},
  'unknown-debug-data': {},
  'long-key': { max: 140, key: 'x141' },
  'campaign-key': {},
  'reserved-key': {},
  'time-order': { time: 142, last: 143 },
  'implied-field': {},
  'too-many-sites': { max: 144, count: 145 },
  clamped: { seconds: 146 },
  rounded: { seconds: 802 },
  'ignored-url-parts': { site: 'x803' },
  'public-suffix': { site: 'x804' },
  'unknown-source-type': {},
  'window-order': { begin: 147, end: 148 },
  'too-much-trigger-data': { max: 149, count: 150 },
  'repeated-trigger-data': { data: 151 },
  'trigger-data-gaps': { last: 152, was: 'x153' },
  'too-many-buckets': { max: 154, count: 155 },
  'bucket-beyond-conversions': { max: 805 },
  'bucket-order': { previous: 156, bucket: 157 },
  'registration-time': {},
  'over-contribution-budget': { sum: 194, max: 195 },
  'missing-selector': { on: 'x158' },
  'unreadable-field': {},
  'repeated-rule': { id: 'x159' },
  'gap-without-reciprocal': {},
  'gap-within-tau': { tau: 160 },
  'cap-of-impression': {},
  'missing-cap': { unit: 'user' },
  'attribution-without-epsilon': {},
  'attribution-above-epsilon': { epsilon: 161 },
  'delta-without-epsilon': {},
  'joint-below-share': { share: 301, was: 302 },
  'site-of-two-owners': { site: 'https://x303.example' },
  'lift-test-without-budget': {},
  'lift-test-with-aggregatable': {},
  'lift-test-with-private-attribution': {},
  'trial-without-joint': {},
  'empty-text': { was: 'x162' },
  'too-many-languages': { max: 163 },
  'no-language': {},
  'not-a-language': {},
  'end-before-start': {},
  'periods-not-in-order': {},
  'tokens-without-collector': {},
  'tokens-given-up': {},
  'debug-in-trial': {},
  'paused-in-trial': {},
  'half-character': {},
  'inexact-number': { was: 'x902' },
  'wrong-signature': {},
  'no-numbers': {},
  'not-a-probability': { was: 'x164' },
  'probabilities-sum': { sum: 165 },
  'values-per-probability': { probabilities: 166, was: 167 },
  'ascending-from-0': { was: 'x168' },
  'value-order': { previous: 169, was: 'x170' },
  'nothing-to-report': {},
  'too-many-here': { max: 171, count: 172 },
  'gap-not-taken': { was: 'x173' },
  'click-after-conversion': { was: 'x174' },
  'click-too-late': { least: 'x175', nearest: 'x176' },
  'row-length': { conversions: 177, was: 178 },
  'no-weights': {},
  'too-many-matchings': { max: 777 },
  'mechanism-impossible': { problem: { ...mistake('no-numbers'), path: 'prior' } },
  'prior-per-state': { states: 'x182' },
  'trigger-state-cardinality': { count: 190, limit: 191 },
  'channel-capacity': { bits: 192, limit: 193, fitting: 194 },
  'event-states': { count: 195, limit: 196 },
  'scopes-channel-capacity': { count: 197, limit: 198 },
  'no-user': {},
  'field-of-row': { name: 'x183' },
};

const lacks = ['attribute', 'elsewhere', 'feature', 'press'] as const;

type Value = number | string | Mistake | Expectation | Issue | readonly Issue[];

/** What the sentence must say of a value. */
const wordsOf = (
  { mistakeText, issueSentence }: Pick<IssueWords, 'mistakeText' | 'issueSentence'>,
  value: Value,
): readonly string[] => {
  if (typeof value !== 'object') return [String(value)];
  if ('code' in value) return [mistakeText(value as Mistake)];
  return value.map(issueSentence);
};

describe.each([
  ['English', english],
  ['German', german],
])('in %s', (_language, words) => {
  it('has a sentence for each thing that a click can lack', () => {
    const said = lacks.map((lack) => words.mistakeText(mistake('no-eligible-click', { lack })));
    expect(new Set(said).size).toBe(lacks.length);
    // If nothing is known of a click, either may be the cause.
    expect(said.at(-1)).toMatch(/s[ck]ript.* window\.open .*attributionsrc/i);
  });

  it.each(Object.entries(samples))('%s says all its values', (code, values: object) => {
    const said = words.mistakeText({ code, values } as Mistake);
    expect(said).not.toBe(code);
    // It only chooses the sentence.
    if ('lack' in values) return;
    for (const value of Object.values(values).flatMap((one: Value) => wordsOf(words, one)))
      expect(said).toContain(value);
  });
});

it.each([
  ['English', english],
  ['German', german],
])('what is wrong with JSON is said in words: %s', (_language, words) => {
  const texts = [
    '{',
    '[',
    '',
    '{,}',
    '{"a" 1}',
    '[1 2]',
    '{} 1',
    'undefined',
    '01',
    '1.',
    '/* x',
    '// x',
    '"a',
  ];
  const said = [...texts, '"\\u12"', '"\\x"', '"\u0001"'].map((text) =>
    words.issuesText(parseJsonHeader(text).errors),
  );
  for (const sentence of said) expect(sentence).not.toMatch(/[a-z][A-Z]|\(|\n/);
});

it('every mistake in the syntax of JSON has words', () => {
  const codes = Array.from({ length: 20 }, (_, code) => printParseErrorCode(code));
  const known = codes.filter((code) => code !== '<unknown ParseErrorCode>');
  expect(known).toHaveLength(16);
  for (const words of [english, german])
    for (const error of known) {
      const said = words.mistakeText(mistake('json-syntax', { line: 1, column: 2, error }));
      expect(said).not.toContain(error);
    }
});

it('a mistake of a later version is said by its code', () => {
  const later = { code: 'of-tomorrow', values: {} } as unknown as Mistake;
  expect(english.mistakeText(later)).toBe('of-tomorrow');
});

it.each<[mistake: Mistake, english: string, german: string]>([
  [
    mistake('must-be', {
      what: expectation('choices', {
        choice: 'a',
        other: expectation('choices', { choice: 'b', other: expectation('choice', { choice: 'c' }) }),
      }),
      was: 'null',
    }),
    'must be "a" or "b" or "c", was null',
    'muss "a" oder "b" oder "c" sein, war null',
  ],
  [
    mistake('ignored', { problem: mistake('must-be', { what: expectation('boolean'), was: '"{what}"' }) }),
    'must be true or false, was "{what}" (ignored)',
    'muss true oder false sein, war "{what}" (wird ignoriert)',
  ],
  [
    mistake('must-be', { what: expectation('integer-range', { min: 1, max: 1_000_000 }), was: '0' }),
    'must be an integer from 1 to 1000000, was 0',
    'muss eine ganze Zahl von 1 bis 1000000 sein, war 0',
  ],
  [
    mistake('too-few-items', { min: 1, count: 0 }),
    'must have at least 1 item, has 0',
    'muss mindestens 1 Eintrag haben, hat 0',
  ],
  [
    mistake('too-few-items', { min: 2, count: 1 }),
    'must have at least 2 items, has 1',
    'muss mindestens 2 Einträge haben, hat 1',
  ],
  [
    mistake('no-language'),
    'must have a text in at least one language, such as {"en": "…"}',
    'muss einen Text in mindestens einer Sprache haben, etwa {"de": "…"}',
  ],
  [
    mistake('must-be', { what: expectation('same-configuration', { id: 'c0ffee' }), was: '"x"' }),
    'must be the one that the row\'s other fields make, c0ffee, was "x"',
    'muss die Konfiguration, die sich aus den anderen Feldern der Zeile ergibt (c0ffee), sein, war "x"',
  ],
  [
    mistake('not-json', { problem: { code: 'json-depth', values: { max: 200 } } }),
    'must be JSON: nested more than 200 levels deep',
    'muss JSON sein: mehr als 200 Ebenen tief verschachtelt',
  ],
  [
    mistake('info-invalid', { problems: samples['info-invalid'].problems }),
    'Attribution-Reporting-Info preferred-platform must be the token web or os, report-header-errors must be a boolean (?1 or ?0)',
    'Attribution-Reporting-Info: preferred-platform muss das Token web oder os sein, report-header-errors muss ein Wahrheitswert (?1 oder ?0) sein',
  ],
  [
    mistake('mechanism-impossible', {
      problem: { ...mistake('probabilities-sum', { sum: 0.9 }), path: 'prior' },
    }),
    'is not possible: prior must be a list of probabilities that sum to 1, was 0.9',
    'ist nicht möglich: prior muss eine Liste von Wahrscheinlichkeiten sein, die zusammen 1 ergeben, nicht 0.9',
  ],
])('%j is said in both languages', (found, inEnglish, inGerman) => {
  expect(english.mistakeText(found)).toBe(inEnglish);
  expect(german.mistakeText(found)).toBe(inGerman);
});

it('an issue is said with its place', () => {
  const issue = { ...mistake('unknown-field'), path: 'a b' };
  expect(english.issueText(issue)).toBe('a b: is not a known field');
  expect(english.issueText({ ...issue, path: '' })).toBe('is not a known field');
  expect(english.issueSentence(issue)).toBe('a b is not a known field');
  expect(german.issuesText([issue, { ...issue, path: 'c' }])).toBe(
    'a b: ist hier kein bekanntes Feld; c: ist hier kein bekanntes Feld',
  );
});
