import fc from 'fast-check';
import {
  isFiltered,
  queryOf,
  searchOf,
  toggled,
  viewFrom,
  type View,
} from '../../../collector/dashboard/client/address';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const view: fc.Arbitrary<View> = fc.record({
  from: fc.oneof(fc.constant(''), day),
  to: fc.oneof(fc.constant(''), day),
  is: fc
    .uniqueArray(fc.tuple(text, fc.uniqueArray(text, { minLength: 1 })), { selector: ([name]) => name })
    .map((entries) => new Map(entries.map(([name, values]) => [name, new Set(values)]))),
  group: fc.oneof(fc.constant(null), text),
  quantity: fc.constantFrom('conversions', 'conversion-rate'),
  likelihood: fc.boolean(),
  open: fc.boolean(),
  truth: fc.boolean(),
});

test('an address says all of a view', () => {
  fc.assert(
    fc.property(view, (shown) => expect(viewFrom(searchOf(shown))).toEqual(shown)),
    { seed: 3 },
  );
});

test('a value that is chosen twice is not chosen', () => {
  fc.assert(
    fc.property(view, text, text, (shown, name, value) => {
      const chosen = toggled(shown, name, value);
      expect(chosen.is.get(name)?.has(value) ?? false).toBe(!(shown.is.get(name)?.has(value) ?? false));
      expect(toggled(chosen, name, value)).toEqual(shown);
      expect(queryOf(chosen).getAll(`is.${name}`)).toEqual([...(chosen.is.get(name) ?? [])]);
    }),
    { seed: 4 },
  );
});

test.each<[search: string, query: string]>([
  ['', ''],
  ['?from=2026-01-31', 'from=2026-01-31T00%3A00%3A00.000Z'],
  ['?to=2026-02-28', 'to=2026-03-01T00%3A00%3A00.000Z'],
  ['?from=yesterday&to=2026-13-01&group=campaign&quantity=x&other=1', ''],
  ['?is.campaign=a&is.campaign=b', 'is.campaign=a&is.campaign=b'],
])('the last day counts, and what is no day does not: %s', (search, query) => {
  expect(queryOf(viewFrom(search)).toString()).toBe(query);
  expect(isFiltered(viewFrom(search))).toBe(query !== '');
});
