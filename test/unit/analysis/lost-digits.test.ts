import { LostDigits } from '../../../analysis/estimate/join/lost-digits';

const keyOf = (id: bigint): string => `0 ${id}`;
const whole = (index: number): bigint => 12_345_678_901_234_567_801n + BigInt(index) * 7_919_003n;
const rounded = (index: number): bigint => BigInt(Number(whole(index)));
const isNone = (): boolean => false;

/** Reports with the rounded ids of `all` sources, of which the log has `logged`. */
const lostBy = (all: number, logged: number, most?: number): 'sources' | 'reports' | null => {
  const digits = new LostDigits(most);
  for (let index = 0; index < all; index++) {
    // So that those that are kept are not simply the logged ones.
    const source = (index * 7) % all;
    digits.seeUnknown(rounded(source), keyOf, isNone);
  }
  return digits.of(all, () => Array.from({ length: logged }, (_, index) => [whole(index), keyOf] as const));
};

test('rounded ids are those of the log if it has sources that would get most of them', () => {
  expect(lostBy(100, 51)).toBe('reports');
  expect(lostBy(100, 50)).toBeNull();
  expect(lostBy(100, 0)).toBeNull();
});

test('ids that are kept stand for the others', () => {
  expect(lostBy(1000, 1000, 10)).toBe('reports');
  expect(lostBy(1000, 800, 100)).toBe('reports');
  expect(lostBy(1000, 200, 100)).toBeNull();
});

test('a source with another origin or destination does not count', () => {
  const digits = new LostDigits();
  digits.seeUnknown(rounded(0), keyOf, isNone);
  expect(digits.of(1, () => [[whole(0), (id) => `1 ${id}`]])).toBeNull();
  expect(digits.of(1, () => [[whole(0), keyOf]])).toBe('reports');
});
