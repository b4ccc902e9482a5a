import fc from 'fast-check';
import { ReportSpace, countStates, type ReportSpaceShape } from '../../../src/states/report-space';
import { isLong } from '../helpers/is-long';

const uniform = (windows: number, data: number, maxReports: number): ReportSpaceShape => ({
  triggerData: Array.from({ length: data }, () => ({ windows, maxReports })),
  maxReports,
});

const uneven = (maxReports: number, windows: number[], caps: number[]): ReportSpaceShape => ({
  triggerData: windows.map((count, index) => ({ windows: count, maxReports: caps[index] ?? 0 })),
  maxReports,
});

/** Every output that the shape allows, written down without any of the sums: how often each (data, window) occurs. */
function enumerate({ triggerData, maxReports }: ReportSpaceShape): string[] {
  const found: string[] = [];
  const extend = (position: number, left: number, state: readonly (readonly number[])[]): void => {
    const entry = triggerData[position];
    if (entry === undefined) {
      found.push(JSON.stringify(state));
      return;
    }
    const place = (window: number, placed: readonly number[]): void => {
      if (window === entry.windows) {
        extend(position + 1, left - placed.length, [...state, placed]);
        return;
      }
      let more = placed;
      for (; more.length <= Math.min(entry.maxReports, left); more = [...more, window])
        place(window + 1, more);
    };
    place(0, []);
  };
  extend(0, maxReports, []);
  return found;
}

const shapes = (limits: { data: number; windows: number; reports: number }): fc.Arbitrary<ReportSpaceShape> =>
  fc.record({
    triggerData: fc.array(
      fc.record({
        windows: fc.integer({ min: 1, max: limits.windows }),
        maxReports: fc.integer({ min: 0, max: limits.reports }),
      }),
      { maxLength: limits.data },
    ),
    maxReports: fc.integer({ min: 0, max: limits.reports }),
  });

// Up to 32 trigger data × 5 windows × 20 reports, which has 27 digits.
const anyShape = fc.oneof(shapes({ data: 32, windows: 5, reports: 20 }), fc.constant(uniform(5, 32, 20)));

describe('the number of states', () => {
  // The table and the list of uneven configurations in the specification's tools and in Android's tests.
  test.each([
    ['3×8×3', uniform(3, 8, 3), 2925n],
    ['2×8×3', uniform(2, 8, 3), 969n],
    ['1×8×3', uniform(1, 8, 3), 165n],
    ['1×2×1', uniform(1, 2, 1), 3n],
    ['3×2×1', uniform(3, 2, 1), 7n],
    ['3×2×2', uniform(3, 2, 2), 28n],
    ['3×2×3', uniform(3, 2, 3), 84n],
    ['5×1×1', uniform(5, 1, 1), 6n],
    ['5×8×2', uniform(5, 8, 2), 861n],
    ['5×8×3', uniform(5, 8, 3), 12341n],
    ['3×8×5', uniform(3, 8, 5), 118755n],
    ['2; 2,2; 2,2', uneven(2, [2, 2], [2, 2]), 15n],
    ['3; 2,2; 2,2', uneven(3, [2, 2], [2, 2]), 27n],
    ['3; 2,2; 3,3', uneven(3, [2, 2], [3, 3]), 35n],
    ['3; 4,4; 2,2', uneven(3, [4, 4], [2, 2]), 125n],
    ['7; 2,2; 3,3', uneven(7, [2, 2], [3, 3]), 100n],
    ['7; 2,2; 4,5', uneven(7, [2, 2], [4, 5]), 236n],
    ['1000; 2,2; 4,5', uneven(1000, [2, 2], [4, 5]), 315n],
    ['1000; 2,2,2; 4,5,4', uneven(1000, [2, 2, 2], [4, 5, 4]), 4725n],
    ['1000; 2,2,2,2; 4,5,4,2', uneven(1000, [2, 2, 2, 2], [4, 5, 4, 2]), 28350n],
    ['5; 2; 5', uneven(5, [2], [5]), 21n],
    ['20; 1,2,3; 4,5,6', uneven(20, [1, 2, 3], [4, 5, 6]), 8820n],
    ['20; 32 × 5; 32 × 20', uniform(5, 32, 20), 175142105857592248012292655n],
    ['no trigger data', uneven(3, [], []), 1n],
    ['no reports', uniform(3, 8, 0), 1n],
  ])('of %s', (_name, shape, states) => {
    expect(countStates(shape)).toBe(states);
    expect(new ReportSpace(shape).states).toBe(states);
  });

  test('is that of an enumeration, and decoding every number gives each output once', () => {
    fc.assert(
      fc.property(shapes({ data: 4, windows: 3, reports: 4 }), (shape) => {
        fc.pre(countStates(shape) < 20_000n);
        const expected = enumerate(shape);
        const space = new ReportSpace(shape);
        expect(countStates(shape)).toBe(BigInt(expected.length));
        expect(space.states).toBe(BigInt(expected.length));
        const decoded = expected.map((_, index) => JSON.stringify(space.decode(BigInt(index))));
        expect(decoded.sort()).toEqual(expected.sort());
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['the navigation default', uniform(3, 8, 3)],
    // Just below 10^5.
    ['unequal trigger data', uneven(8, [5, 4, 3], [4, 5, 3])],
  ])('is that of an enumeration for %s', (_name, shape) => {
    expect(countStates(shape)).toBe(BigInt(enumerate(shape).length));
  });

  test('is the same by polynomials and by ranking, at any size', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        expect(new ReportSpace(shape).states).toBe(countStates(shape));
      }),
    );
  });
});

describe('ranking', () => {
  const numbered = fc
    .tuple(anyShape, fc.bigInt({ min: 0n, max: 2n ** 100n }))
    .map(([shape, number]) => ({ shape, number: number % countStates(shape) }));

  test('gives every number back that it decoded, and what it decoded obeys every limit', () => {
    fc.assert(
      fc.property(numbered, ({ shape, number }) => {
        const space = new ReportSpace(shape);
        const state = space.decode(number);
        expect(space.encode(state)).toBe(number);
        expect(state).toHaveLength(shape.triggerData.length);
        expect(state.flat().length).toBeLessThanOrEqual(shape.maxReports);
        shape.triggerData.forEach(({ windows, maxReports }, position) => {
          const placed = state[position] ?? [];
          expect(placed.length).toBeLessThanOrEqual(maxReports);
          expect(placed.every((window) => Number.isInteger(window) && window >= 0 && window < windows)).toBe(
            true,
          );
          expect(placed).toEqual([...placed].sort((a, b) => a - b));
        });
      }),
      { numRuns: isLong ? 500 : 150 },
    );
  });

  test('gives every output back that it encoded, whatever the order of its windows', () => {
    // Outputs built directly, not by decoding: picks that still fit are taken.
    const outputs = fc.tuple(anyShape, fc.array(fc.tuple(fc.nat(31), fc.nat(4)), { maxLength: 40 }));
    fc.assert(
      fc.property(outputs, ([shape, picks]) => {
        const state = shape.triggerData.map((): number[] => []);
        for (const [position, window] of picks) {
          const entry = shape.triggerData[position];
          const placed = state[position];
          if (entry === undefined || placed === undefined || window >= entry.windows) continue;
          if (placed.length < entry.maxReports && state.flat().length < shape.maxReports) placed.push(window);
        }
        const space = new ReportSpace(shape);
        const sorted = state.map((placed) => [...placed].sort((a, b) => a - b));
        const number = space.encode(state);
        expect(number >= 0n && number < space.states).toBe(true);
        expect(space.decode(number)).toEqual(sorted);
        expect(space.encode(sorted)).toBe(number);
      }),
      { numRuns: isLong ? 500 : 150 },
    );
  });

  test('begins with the output without reports and ends with the last', () => {
    const space = new ReportSpace(uniform(5, 32, 20));
    expect(space.decode(0n).flat()).toEqual([]);
    expect(space.encode(space.decode(space.states - 1n))).toBe(space.states - 1n);
  });

  const space = new ReportSpace(uneven(3, [2, 3], [2, 3]));
  const last = space.states - 1n;

  test.each([-1n, space.states, space.states + 10n ** 30n])('refuses to decode %s', (state) => {
    expect(() => space.decode(state)).toThrow(
      new RangeError(`state must be from 0 to ${String(last)}, was ${String(state)}`),
    );
  });

  test.each([
    ['too few lists', [[]], 'state must have 2 lists of windows, has 1'],
    ['too many lists', [[], [], []], 'state must have 2 lists of windows, has 3'],
    ['too many reports of one', [[0, 0, 0], []], 'position 0 must have at most 2 reports, has 3'],
    [
      'too many reports in all',
      [
        [0, 0],
        [0, 1],
      ],
      'state must have at most 3 reports, has 4',
    ],
    ['a window past the last', [[2], []], 'position 0 has the windows 0 to 1, not 2'],
    ['a negative window', [[], [-1]], 'position 1 has the windows 0 to 2, not -1'],
    ['a broken window', [[], [0.5]], 'position 1 has the windows 0 to 2, not 0.5'],
    ['no window', [[], [NaN]], 'position 1 has the windows 0 to 2, not NaN'],
  ])('refuses to encode %s', (_name, state, message) => {
    expect(() => space.encode(state)).toThrow(RangeError);
    expect(() => space.encode(state)).toThrow(message);
  });
});
