import fc from 'fast-check';
import { defaultMeasurement, type BudgetSettings } from '../../src/model/mechanisms';
import { after, days, epsilon, moment, type Moment } from '../../src/model/units';
import { jointBound, roundedUp, sumOf } from '../../analysis/audit/joint-bound';
import { Rational } from '../../src/privacy/rational';
import type { Origin } from '../../src/model/units';
import { conditions, newEngine, sourceRegistration } from './helpers/engine';

const budgetOf = (budget: Partial<BudgetSettings>): BudgetSettings => ({
  ...defaultMeasurement.budget,
  ...budget,
});

/** Days since the epoch. */
const day = (count: number): Moment => after(moment(0), days(count));

test.each<[string, Partial<BudgetSettings>, number, number, number | null, number | null]>([
  // What is added up, from, until, without counts, with 10 units and 3 reporting sites.
  [
    'twelve weeks by site and company',
    { unit: 'user-publisher', epsilon: epsilon(12), cap: 4 },
    0,
    84,
    null,
    4320,
  ],
  ['a person by company', { unit: 'user', epsilon: epsilon(12), cap: 4 }, 0, 84, null, 12 * 12 * 3],
  ['a person', { unit: 'user', epsilon: epsilon(12), cap: 4, perReportingSite: false }, 0, 84, 144, 144],
  [
    'a person in one period',
    { unit: 'user', epsilon: epsilon(4), cap: 2, perReportingSite: false, period: 182 },
    20821,
    20908,
    4,
    4,
  ],
  [
    'a person whose trial crosses a border of periods',
    { unit: 'user', epsilon: epsilon(4), cap: 2, perReportingSite: false, period: 90 },
    20821,
    20908,
    8,
    8,
  ],
  [
    'a person, more than K sources register',
    { unit: 'user', epsilon: epsilon(99), cap: 2, perReportingSite: false },
    0,
    7,
    28,
    28,
  ],
  ['K impressions without ε', { unit: 'user', cap: 2, perReportingSite: false }, 0, 7, 28, 28],
  ['impressions', { epsilon: epsilon(2) }, 0, 7, null, 60],
  ['no budget', {}, 0, 7, null, null],
])('%s', (_what, budget, from, until, all, example) => {
  const bound = jointBound(budgetOf(budget), { start: day(from), end: day(until) });
  expect(sumOf(bound)).toBe(all);
  expect(sumOf(bound, { units: 10, reportingSites: 3 })).toBe(example);
});

test('a span that is past is still in one period', () => {
  const bound = jointBound(budgetOf({ unit: 'user', epsilon: epsilon(3), cap: 2, perReportingSite: false }), {
    start: day(30),
    end: day(2),
  });
  expect(sumOf(bound)).toBe(3);
});

test.each([
  [0, 0],
  [0.1 + 0.2, 0.3],
  [3 * 1.1, 3.3],
  [4680, 4680],
  [12_341, 12_350],
  [1 / 3, 0.3334],
  [1.0000001, 1.001],
  [2e25, 2e25],
  [Infinity, Infinity],
])('%d is told as %d', (number, told) => {
  expect(roundedUp(number)).toBe(told);
});

/** What a person lost in all, by the spends that the engine entered for whatever was recorded in the span. */
test('no way to record sources in a trial spends more than the bound', async () => {
  const sites = ['a', 'b', 'c'].map((name) => `https://${name}.example` as Origin);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<BudgetSettings['unit']>('user', 'user-publisher', 'user-advertiser'),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      fc.array(
        fc.record({
          hour: fc.integer({ min: 5, max: 200 }),
          publisher: fc.constantFrom(...sites),
          adTech: fc.constantFrom(...sites),
          registered: fc.constantFrom(0.5, 3, 14),
        }),
        { maxLength: 25 },
      ),
      async (unit, perReportingSite, period, shown) => {
        const budget = budgetOf({ unit, perReportingSite, period, epsilon: epsilon(3), cap: 2 });
        const { engine, store } = newEngine();
        for (const { hour, publisher, adTech, registered } of shown.sort((a, b) => a.hour - b.hour))
          await engine.register(
            sourceRegistration({ event_level_epsilon: registered }, 'event', {
              time: moment(hour * 3_600_000),
              contextOrigin: publisher,
              reportingOrigin: adTech,
            }),
            conditions({ kind: 'on' }, { budget }),
          );
        const accounts = await store.read((tx) => tx.table('accounts').latest(Infinity));
        const spent = accounts.reduce(
          (sum, { report: { sum: one } }) =>
            sum + Rational.fraction(one.numerator, one.denominator).toNumber(),
          0,
        );
        const bound = jointBound(budget, { start: moment(5 * 3_600_000), end: moment(201 * 3_600_000) });
        const counts = { units: unit === 'user-advertiser' ? 1 : 3, reportingSites: 3 };
        expect(spent).toBeLessThanOrEqual((sumOf(bound, counts) ?? Infinity) + 1e-9);
      },
    ),
    { numRuns: 60 },
  );
});
