import { liftByTriggerData, shownLifts } from '../../../analysis/estimate/lift/lift-by-trigger-data';
import type { Quantity } from '../../../analysis/estimate/quantities/quantities';
import { analysesOf } from '../../../analysis/estimate/result/analyses';
import { resultJson } from '../../../analysis/estimate/result/result-json';
import type { LostReports } from '../../../analysis/estimate/unbiased/lost-reports';
import { lostOf } from '../../../analysis/estimate/unbiased/lost-reports';
import { mergeConfigurations, type GroupTally } from '../../../analysis/estimate/unbiased/tally';
import { configurationOf } from '../helpers/estimates';

const nothingPosted = { slices: new Map(), histogram: new Map() };
const view = configurationOf({}, 'event', 8);
const click = configurationOf({}, 'navigation', 8);

/** Of 1,000 sources, so many have a report with trigger data 0, and so many one with 1. */
const reports = (zero: number, one: number): GroupTally['tally'] =>
  new Map([
    ['0', 1000 - zero - one],
    ['1', zero],
    ['2', one],
  ]);

const estimated = (
  groups: readonly GroupTally[],
  { configuration = view, lost }: { configuration?: typeof view; lost?: LostReports } = {},
) => {
  const unused = {} as never;
  const level = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;
  const options = lost === undefined ? level : { ...level, lost };
  const configurations = analysesOf(
    mergeConfigurations([{ given: 'ads', configuration, groups }]),
    options,
    false,
  );
  return resultJson({
    options,
    groupBy: ['arm'],
    asOf: null,
    sources: unused,
    reports: unused,
    configurations,
  });
};

const whole = (tally: GroupTally['tally']): readonly GroupTally[] => [{ group: [], tally }];
const arms = (exposed: number, holdout: number): readonly GroupTally[] => [
  { group: ['exposed'], tally: reports(exposed, 0) },
  { group: ['holdout'], tally: reports(holdout, 0) },
];
const numbersOf = (result: ReturnType<typeof estimated>, quantity: Quantity['kind']) =>
  (result.configurations[0]?.groups[0]?.estimates ?? [])
    .filter((own) => own.quantity === quantity)
    .map(({ unbiased }) => unbiased ?? NaN);

describe('what a page shows of a lift test', () => {
  test('is nothing where neither groups nor two trigger data can be the arms', () => {
    expect(
      shownLifts(estimated(whole(reports(300, 100)), { configuration: click }), nothingPosted, '', 0.5),
    ).toBeNull();
  });

  test('has no lift until the reader says which trigger data are the arms', () => {
    const shown = shownLifts(estimated(whole(reports(300, 100))), nothingPosted, '', 0.5);
    expect([...(shown?.orders ?? [])]).toEqual([
      ['0,1', { exposed: 0, holdout: 1 }],
      ['1,0', { exposed: 1, holdout: 0 }],
    ]);
    expect(shown).toMatchObject({ chosen: '', hasArms: false, lifts: [], problem: null, doubt: null });
  });

  test.each([
    ['0,1', { exposed: 0, holdout: 1 }],
    ['1,0', { exposed: 1, holdout: 0 }],
  ])('compares the trigger data %s', (chosen, wanted) => {
    const result = estimated(whole(reports(300, 100)));
    const shown = shownLifts(result, nothingPosted, chosen, 0.5);
    expect(shown).toMatchObject({ chosen, hasArms: false, problem: null, doubt: null });
    expect(shown?.lifts).toEqual([['event_level', liftByTriggerData(result, wanted, 0.5)]]);
    const data = numbersOf(result, 'trigger-data');
    const difference = (data[wanted.exposed] ?? NaN) - (data[wanted.holdout] ?? NaN);
    expect(shown?.lifts[0]?.[1].caused.estimate).toBeCloseTo(difference, 9);
  });

  test('compares groups if an order is chosen that sources do not have', () => {
    const shown = shownLifts(estimated(whole(reports(300, 100))), nothingPosted, '0,2', 0.5);
    expect(shown).toMatchObject({ chosen: '', lifts: [] });
  });

  test('says that an uncertain loss leaves no comparison', () => {
    const result = estimated(whole(reports(300, 100)), { lost: lostOf(100, 2000, 0.95) });
    const shown = shownLifts(result, nothingPosted, '0,1', 0.5);
    expect(shown).toMatchObject({ chosen: '0,1', lifts: [], problem: 'uncertain-loss' });
  });

  test('says that no estimate holds', () => {
    // As everybody had a report, half of them cannot be lost.
    const result = estimated(whole(reports(500, 500)), {
      lost: { rate: 0.5, range: [0.5, 0.5], from: 'given' },
    });
    const shown = shownLifts(result, nothingPosted, '0,1', 0.5);
    expect(shown).toMatchObject({ chosen: '0,1', lifts: [], problem: 'unknown' });
  });

  test('compares groups, and doubts a share that their sources contradict', () => {
    const result = estimated(arms(300, 200));
    const right = shownLifts(result, nothingPosted, '', 0.5);
    expect(right).toMatchObject({ chosen: '', hasArms: true, problem: null, doubt: null });
    expect(right?.lifts.map(([kind]) => kind)).toEqual(['event_level']);
    const [, lift] = right?.lifts[0] ?? [];
    expect(lift?.caused.interval[0]).toBeLessThan(100);
    expect(lift?.caused.interval[1]).toBeGreaterThan(100);
    expect(shownLifts(result, nothingPosted, '', 0.1)?.doubt).toEqual({ sources: 2000, share: 0.5 });
    // The trigger data, which the reader chose, tell nothing about the groups.
    expect(shownLifts(result, nothingPosted, '0,1', 0.1)).toMatchObject({ hasArms: true, doubt: null });
  });
});
