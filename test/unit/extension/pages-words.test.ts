import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import messages from '../../../extension/_locales/en.json';
import { t, type MessageName } from '../../../extension/i18n';
import {
  isGrouped,
  readNumber,
  readNumbers,
  writtenNumber,
} from '../../../extension/pages/words/typed-numbers';
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

  it.each([
    ['2,000', '.', '2,000'],
    ['-12,345', '.', '-12,345'],
    ['2.000', '.', 2],
    ['0,125', '.', 0.125],
    ['1234,567', '.', 1234.567],
    ['1,234,567', '.', '1,234,567'],
    ['1,234.5', '.', '1,234.5'],
    ['1.000', ',', '1.000'],
    ['1,000', ',', 1],
    ['1.5', ',', 1.5],
  ])('%s is not read as another number where the decimal sign is %s', (text, sign, expected) => {
    expect(readNumber(text, [], sign)).toBe(expected);
  });

  it.each(['1e999', '0x1e', 'Infinity', '1 000', '.', '1e', '--1'])('%s is none', (text) => {
    expect(readNumber(text)).toBe(text);
  });

  it('that may be grouped are told apart from other texts that are none', () => {
    expect(['2,000', '2,00', 'two'].map((text) => isGrouped(text))).toEqual([true, false, false]);
  });

  const [a, b, c] = [0.333_333_333_33, 0.333_333_444_44, 0.333_333_222_23];
  const third = '0.333333';
  it.each([
    ['a line above', ['0', third, third, third], [0, a, b, c]],
    ['a line below', [third, third, third, '0'], [a, b, c, 0]],
    ['another line in the middle', [third, '0.5', third], [a, 0.5, c]],
    ['a line twice', [third, third, third, third], [a, b, c, 0.333_333]],
  ])('of several lines that are written alike keep their places with %s', (_what, lines, expected) => {
    expect(readNumbers(lines, [a, b, c])).toEqual(expected);
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
