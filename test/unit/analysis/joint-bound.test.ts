import { defaultMeasurement, type JointBudget } from '../../../src/model/mechanisms';
import { after, days, moment, type Moment } from '../../../src/model/units';
import { jointLoss, roundedUp } from '../../../analysis/audit/joint-bound';
import { jointly } from '../../../analysis/audit/configured';

/** Days since the epoch. */
const day = (count: number): Moment => after(moment(0), days(count));

const budgetOf = (joint: JointBudget | null, period: number) => ({
  ...defaultMeasurement.budget,
  joint,
  period,
});

test.each<[string, JointBudget | null, number, number, number, number | null]>([
  // What is added up, by days, from, until.
  ['twelve weeks', jointly(12, 1), 7, 0, 84, 144],
  ['one period', jointly(4, 2), 182, 20821, 20908, 4],
  ['a border of periods within the span', jointly(4, 2), 90, 20821, 20908, 8],
  ['a span that is past', jointly(3, 3), 7, 30, 2, 3],
  ['no joint budget', null, 7, 0, 7, null],
])('%s', (_what, joint, period, from, until, most) => {
  const span = { start: day(from), end: day(until) };
  expect(jointLoss(budgetOf(joint, period), span).most).toBe(most);
});

test('what was told before comes on top, and what was told is never taken back', () => {
  const span = { start: day(1), end: day(2) };
  const budget = budgetOf(jointly(4, 2), 7);
  expect(jointLoss(budget, span, { before: 1.5, soFar: 2 })).toMatchObject({ soFar: 2, most: 5.5 });
  expect(jointLoss(budget, span, { before: 0, soFar: 9 })).toMatchObject({ soFar: 9, most: 9 });
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
