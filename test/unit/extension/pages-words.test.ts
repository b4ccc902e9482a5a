import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import messages from '../../../extension/_locales/en.json';
import { t, type MessageName } from '../../../extension/i18n';
import { readNumber, writtenNumber } from '../../../extension/pages/words/typed-numbers';
import {
  roundedDown,
  showDecimal,
  showDistance,
  showDuration,
  showTimeIn,
} from '../../../extension/pages/words/words';

describe('decimals', () => {
  it.each([
    [0, undefined, '0'],
    [14, undefined, '14'],
    [0.1 + 0.2, undefined, '0.30000000000000004'],
    [12_345.678, undefined, '12345.678'],
    [1e-9, undefined, '1e-9'],
    [2 / 3, 3, '0.667'],
    [86.4664, 3, '86.5'],
    [2.5, 3, '2.5'],
    [99.96, 3, '100'],
  ])('%d to %s digits is %s', (number, digits, expected) => {
    expect(showDecimal(number, digits)).toBe(expected);
  });

  it('lose nothing of a number unless told to', () => {
    // Adding 0 makes −0 a 0.
    const numbers = fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((number) => number + 0);
    fc.assert(
      fc.property(numbers, (number) => {
        expect(Number(showDecimal(number))).toBe(number);
      }),
    );
  });
});

describe('numbers that are rounded down', () => {
  it('are at most the number, and off by less than a step of the last digit', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 1e-3, max: 1e6 }), (number) => {
        const rounded = roundedDown(number, 6);
        expect(rounded).toBeLessThanOrEqual(number);
        expect(number - rounded).toBeLessThan(1.01e-5 * number);
        expect(Number(rounded.toPrecision(6))).toBe(rounded);
      }),
    );
    expect(roundedDown(0, 6)).toBe(0);
    expect(roundedDown(7.534_999_6, 6)).toBe(7.53499);
  });
});

describe('numbers in fields', () => {
  it.each([
    [0.5, '0.5'],
    [1e9, '1000000000'],
    [1.234_567_891, '1.234567891'],
    [0.1 + 0.2, '0.3'],
    [Math.log(3), '1.09861'],
    [1e-9, '1e-9'],
  ])('%d is written %s, which stays that number', (number, written) => {
    expect(writtenNumber(number)).toBe(written);
    expect(readNumber(written, [1, number])).toBe(number);
  });

  it('are read with either decimal sign, and what is none stays text', () => {
    expect(['0.25', '0,25', '1e3', '', 'two', '1,2,3'].map((text) => readNumber(text))).toEqual([
      ...[0.25, 0.25, 1000, '', 'two', '1,2,3'],
    ]);
  });
});

describe('times', () => {
  it.each([
    [0, 'less than a second'],
    [999, 'less than a second'],
    [1000, '1 second'],
    [7_200_000, '2 hours'],
  ])('%d ms is %s', (milliseconds, expected) => {
    expect(showDuration(milliseconds)).toBe(expected);
  });

  it.each([
    [0, 'now'],
    [999, 'now'],
    [-999, 'now'],
    [60_000, 'in 1 minute'],
    [-7_200_000, '2 hours ago'],
  ])('%d ms from now are "%s"', (distance, expected) => {
    expect(showDistance(1e12, 1e12 + distance)).toBe(expected);
  });

  it.each([
    ['hours', 1, '1 hour'],
    ['hours', 1.5, '1.5 hours'],
    ['days', 2, '2 days'],
    ['seconds', 0.001, '0.001 seconds'],
  ] as const)('in %s, %d is %s', (unit, number, expected) => {
    expect(showTimeIn(unit, number)).toBe(expected);
  });
});

/** As intl-messageformat numbers the kinds of parts. */
const TEXT = 0;

it('messages without values are what ICU syntax makes of them', () => {
  const names = Object.keys(messages) as MessageName[];
  const said = names.flatMap((name) => {
    const format = new IntlMessageFormat(messages[name], 'en');
    const parts: readonly { readonly type: number }[] = format.getAst();
    const isText = parts.every(({ type }) => type === TEXT);
    return isText ? [{ name, shown: t(name), meant: format.format() }] : [];
  });
  expect(said.length).toBeGreaterThan(500);
  expect(said.filter(({ shown, meant }) => shown !== meant)).toEqual([]);
});
