import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import type { MadeCheck } from '../../../src/model/checks';
import { english } from '../../../words/english';
import { checks as englishChecks } from '../../../words/english/checks';
import { german } from '../../../words/german';
import { checks as germanChecks } from '../../../words/german/checks';
import { checkIds, checksOf } from '../helpers/checks';

/** The values for which a message has its own words. */
const choicesIn = (elements: readonly MessageFormatElement[]): readonly (readonly [string, string])[] =>
  elements.flatMap((element) => {
    if (element.type !== TYPE.select && element.type !== TYPE.plural) return [];
    return Object.entries(element.options).flatMap(([choice, { value }]) => [
      ...(element.type === TYPE.select && choice !== 'other' ? [[element.value, choice] as const] : []),
      ...choicesIn(value),
    ]);
  });

describe.each([
  ['English', english, englishChecks],
  ['German', german, germanChecks],
] as const)('the words in %s', (_language, words, messages) => {
  test.each(checkIds)('say what "%s" counted, and differently for different values', (id) => {
    const passed = checksOf(id).filter((check) => check.passed);
    const said = passed.map((check) => words.check(check));
    expect(said.filter((text) => text === '' || /[{}]|undefined/.test(text))).toEqual([]);
    // "Spent" and "refused" are told apart by the check itself.
    expect(new Set(said).size).toBe(passed.length);
  });

  test.each(checkIds)('choose for "%s" by values that there are', (id) => {
    const there = checksOf(id).map(({ values }) => values as Readonly<Record<string, unknown>>);
    const missing = choicesIn(parse(messages[id])).filter(
      ([name, choice]) => !there.some((values) => String(values[name]) === choice),
    );
    expect(missing).toEqual([]);
  });
});

/** Numbers and what is called the same everywhere. */
const SAME: ReadonlySet<MadeCheck['id']> = new Set(['trigger-data', 'mechanism', 'deduplication-key']);

test.each(checkIds)('"%s" is said in German in other words', (id) => {
  const same = checksOf(id).filter((check) => english.check(check) === german.check(check));
  expect(SAME.has(id) || same.length === 0).toBe(true);
});

test.each([
  [0, '0 configurations', '0 Konfigurationen'],
  [1, '1 configuration', '1 Konfiguration'],
  [2, '2 configurations', '2 Konfigurationen'],
])('of %d configurations a page says "%s"', (count, inEnglish, inGerman) => {
  const id = 'event-trigger-data-filters';
  const check = { id, passed: true, values: { count }, discloses: 'truth' } as const;
  expect([english.check(check), german.check(check)]).toEqual([inEnglish, inGerman]);
});
