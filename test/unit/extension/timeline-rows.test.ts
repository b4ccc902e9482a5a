import fc from 'fast-check';
import { rowsOf } from '../../../extension/pages/explain/timeline';

describe('the marks of a timeline', () => {
  it('never overlap, and stay in the first row where they can', () => {
    const places = fc.array(fc.nat(900), { maxLength: 60 }).map((found) => found.sort((a, b) => a - b));
    fc.assert(
      fc.property(places, (sorted) => {
        const rows = rowsOf(sorted, 18);
        sorted.forEach((place, index) =>
          sorted.slice(0, index).forEach((other, before) => {
            if (rows[before] === rows[index]) expect(place - other).toBeGreaterThanOrEqual(18);
          }),
        );
      }),
      { seed: 7 },
    );
    expect(rowsOf([0, 20, 25, 40, 41], 18)).toEqual([0, 0, 1, 0, 2]);
  });
});
