import type { TotalJson } from '../../../analysis/estimate/result/group-result';
import type { Answer, NumberJson } from './campaign-run';

/* Numbers as tables and pages show them, beside those of the JSON. */

interface ShownNumber {
  readonly value: number;
  /** What one of its last digit is worth. */
  readonly unit: number;
}

const formats = { en: { group: ',', point: '.' }, de: { group: '.', point: ',' } };
export type Language = keyof typeof formats;

/** The numbers in a text, in their order. Shares are at most 1. */
const numbersIn = (text: string, language: Language): readonly ShownNumber[] => {
  const { group, point } = formats[language];
  const plain = text
    .replaceAll(group, group === ',' ? '' : '\0')
    .replaceAll('\0', '')
    .replaceAll(point, '.');
  return [...plain.matchAll(/(?<![\w.])-?\d+(\.\d+)?(\s%)?/gu)].map(([whole, decimals = '.', percent]) => {
    const scale = percent === undefined ? 1 : 100;
    return { value: Number.parseFloat(whole) / scale, unit: 10 ** (1 - decimals.length) / scale };
  });
};

/** How many numbers were compared. */
export interface Compared {
  count: number;
}

/**
 * Each number of a text is one of the JSON, off by at most half a unit of its last digit, and a twentieth of the interval if it is no whole number.
 * @param exact the estimate and the ends of its interval last
 */
export function expectNumbers(
  compared: Compared,
  where: string,
  text: string,
  exact: readonly (number | null)[],
  language: Language = 'en',
): void {
  const shown = numbersIn(text, language);
  const [low, high] = exact.slice(-2);
  expect([where, text, shown.length]).toEqual([where, text, exact.length]);
  const width = (high ?? NaN) - (low ?? NaN);
  shown.forEach(({ value, unit }, place) => {
    compared.count += 1;
    const off = Math.abs(value - (exact[place] ?? NaN));
    const isRight = off <= 0.5 * unit * (1 + 1e-9);
    const isSharp = off <= 0.05 * width * (1 + 1e-9) || unit === 1;
    expect([where, text, exact[place], isRight, isSharp]).toEqual([where, text, exact[place], true, true]);
  });
}

/** The same of a count or a share without an interval. */
export function expectPlain(
  compared: Compared,
  where: string,
  text: string,
  exact: number,
  language: Language = 'en',
): void {
  const [shown] = numbersIn(text, language);
  compared.count += 1;
  const off = Math.abs((shown?.value ?? NaN) - exact);
  const isRight = off <= 0.5 * (shown?.unit ?? NaN) * (1 + 1e-9);
  expect([where, text, exact, isRight]).toEqual([where, text, exact, true]);
}

/** One of the numbers of a text is this one, as it is shown there. */
export function expectAmong(
  compared: Compared,
  where: string,
  text: string,
  exact: number,
  language: Language,
): void {
  compared.count += 1;
  const isThere = numbersIn(text, language).some(
    ({ value, unit }) => Math.abs(value - exact) <= 0.5 * unit * (1 + 1e-9),
  );
  expect([where, text, exact, isThere]).toEqual([where, text, exact, true]);
}

/** What the cells of a row must say: conversions, their rate if it is of all sources, the sum and average of values, and other reports. */
export function expectRow(
  compared: Compared,
  { name, total, rate, posted }: Row,
  cell: (column: Column) => string,
  language?: Language,
): void {
  const { values } = total;
  const numbers = (what: string, text: string, exact: readonly number[]): void =>
    expectNumbers(compared, `${name} ${what}`, text, exact, language);
  numbers('conversions', cell('conversions'), of(total, 'conversions') ?? []);
  numbers('rate', cell('rate'), numbersOf(rate));
  for (const kind of ['summary', 'histogram'] as const)
    if (posted !== null) numbers(kind, cell(kind), numbersOf(posted[kind]));
  if (values === null) return;
  const [sums = '', averages = ''] = cell('values').split(/; (?:on average|im Mittel)|\t/);
  numbers('values', sums, numbersOf(values.sum as NumberJson));
  numbers(
    'average',
    averages.replace(/,[^,]*$/, '').replace(/, (of|bei|von) .*/, ''),
    numbersOf(values.average as NumberJson),
  );
}

type Column = 'conversions' | 'rate' | 'values' | 'summary' | 'histogram';

/** A campaign, as one of the views must show it. */
export interface Row {
  readonly name: string;
  readonly total: TotalJson;
  readonly rate: NumberJson | null;
  /** Null: the view has only event-level reports. */
  readonly posted: Readonly<Record<'summary' | 'histogram', NumberJson | null>> | null;
}

/** Without an estimate if the interval has every possible number. */
const numbersOf = (found: NumberJson | null): readonly number[] =>
  found === null ? [] : [...(found.estimate === null ? [] : [found.estimate]), ...found.interval];

const of = ({ estimates }: TotalJson, kind: string): readonly number[] | null => {
  const found = estimates.find(({ quantity }) => quantity === kind);
  return found === undefined ? null : numbersOf(found as NumberJson);
};

/** @param isPosted whether the view has the sums of other reports, which then may decide the rate */
export const rowsOf = ({ totals, campaigns }: Answer, isPosted: boolean): readonly Row[] =>
  totals.flatMap((total) => {
    const name = total.group['campaign'];
    const posted = campaigns.groups.find(({ group }) => group === name);
    if (name === undefined || posted === undefined) return [];
    const rate = total.estimates.find(({ quantity }) => quantity === 'conversion-rate') as
      | NumberJson
      | undefined;
    const own = total.covered < total.sources ? null : (rate ?? null);
    return [{ name, total, rate: isPosted ? posted.rate : own, posted: isPosted ? posted : null }];
  });
