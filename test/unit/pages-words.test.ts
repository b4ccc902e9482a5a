import fc from 'fast-check';
import { showDecimal } from '../../extension/pages/lib/words';

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
