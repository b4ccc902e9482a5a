import { t } from '../../../extension/i18n';
import { earlierLimitsUntil } from '../../../extension/pages/explain/earlier-limits';
import { promiseInWords, promisesInWords, jointLossInWords } from '../../../extension/pages/explain/promises';
import { audit } from '../../../analysis/audit/audit';
import { jointly } from '../../../analysis/audit/configured';
import { promisedRelations } from '../../../analysis/audit/relations';
import type { BudgetSettings } from '../../../src/model/mechanisms';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { jointLoss } from '../../../analysis/audit/joint-bound';
import { after, days, epsilon, moment, type Moment } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';

const relationIds = Object.keys(promisedRelations);

const withBudget = (budget: Partial<BudgetSettings>): Settings => ({
  ...defaultSettings,
  budget: { ...defaultSettings.budget, ...budget },
});

test('the budget page lists the relations that were audited, each with what is promised', () => {
  const promises = promisesInWords(withBudget({ unit: 'user', epsilon: epsilon(3), cap: 2 }));
  expect(promises).toHaveLength(relationIds.length);
  expect(promises[0]).toBe(
    'the conversions credited to one impression, while those of others stay the same: ε\u00a0=\u00a01.5; to everyone together ε\u00a0=\u00a01.5',
  );
  expect(promises[1]).toMatch(/^the conversions of all impressions of one unit, .*: ε\s=\s3; /);
  expect(promises.at(-1)).toBe(
    'whether an impression was shown: nothing is promised; to everyone together nothing',
  );
  expect(promisesInWords(defaultSettings)[0]).toMatch(
    /^the conversions credited to one impression, .*: ε\s=\s14; /,
  );
});

test('where limits are those of the specification, the list says when nothing of it holds', () => {
  const settings: Settings = { ...defaultSettings, limits: 'specification' };
  expect(promisesInWords(settings)).toEqual([
    ...promisesInWords(defaultSettings),
    expect.stringMatching(/^What is promised about noise does not hold once a limit is reached/),
  ]);
});

test('sources from before limits were private are an exception until the last of them expires', () => {
  const earlier = (day: number) => ({ expiryTime: after(moment(0), days(day)) });
  const since = { ...earlier(40), countsWhenSent: true } as const;
  expect(earlierLimitsUntil([since], 0)).toBeNull();
  expect(earlierLimitsUntil([earlier(3), since, earlier(9), earlier(5)], 0)).toBe(days(9));
  expect(earlierLimitsUntil([earlier(3), since], days(3))).toBeNull();
  expect(t('limits_earlier', { until: 'Monday' })).toMatch(
    /^Until Monday, what is promised about noise does not hold/,
  );
});

test('what is promised is what the audit holds the engine to', async () => {
  const settings = withBudget({ unit: 'user', epsilon: epsilon(3), cap: 2, joint: jointly(4, 3) });
  const promises = promisesInWords(settings);
  const random = seededRandomSource('promises', 0);
  for (const relation of ['label-of-impression', 'labels-of-unit', 'labels-of-all', 'impression'] as const) {
    const told: string[] = [];
    for (const observer of ['reporting-site', 'everyone'] as const) {
      const audited = { name: 'test', settings, registered: epsilon(14) };
      const found = await audit(audited, { relation: promisedRelations[relation], observer }, random);
      expect(found.holds).toBe(true);
      told.push(found.promise === null ? 'nothing' : `ε\u00a0=\u00a0${found.promise}`);
    }
    const [site = '', everyone = ''] = told;
    expect(promises[relationIds.indexOf(relation)]).toMatch(
      new RegExp(`: ${site}( is promised)?; to everyone together ${everyone}$`),
    );
  }
});

test.each<[string, Settings, RegExp]>([
  [
    'no budget',
    defaultSettings,
    /at most 1,202,605 times .*\(ε = 14\), .* Each further ad adds to this without limit\./,
  ],
  [
    'a budget for each person',
    withBudget({ unit: 'user', epsilon: epsilon(3), cap: 2 }),
    /at most 5 times .*\(ε = 1\.5\), if what is counted for other ads stays the same\. One purchase can change this for every ad that could have led to it, and their ε add up\. For all ads in \d+ days, ε is at most 3\. That you saw an ad is no secret/,
  ],
  [
    'a budget for each publisher',
    withBudget({ unit: 'user-publisher', epsilon: epsilon(3), attributionEpsilon: epsilon(1), cap: 2 }),
    /For all ads on one site in \d+ days, ε is at most 2, if what is counted for other ads stays the same\./,
  ],
  [
    'a collector, which gets all reports',
    {
      ...withBudget({ unit: 'user', epsilon: epsilon(2), cap: 2, joint: jointly(4, 2) }),
      collector: 'https://collector.example',
    },
    /\(ε = 1\), .* For all ads in \d+ days, ε is at most 4\. That/,
  ],
  [
    'a collector and no joint budget',
    {
      ...withBudget({ unit: 'user', epsilon: epsilon(2), cap: 2 }),
      collector: 'https://collector.example',
    },
    /\(ε = 1\), .* Each further ad adds to this without limit\./,
  ],
])('the consent page says what ε promises with %s', (_what, settings, words) => {
  expect(promiseInWords(settings)).toMatch(words);
});

test.each<[string, Partial<BudgetSettings>, { readonly start: Moment; readonly end: Moment } | null, RegExp]>(
  [
    ['no joint budget', {}, null, /tell at most ε\s=\s2\.5 of what .* The budget sets no limit to it\./],
    [
      'a joint budget',
      { joint: jointly(4, 2) },
      null,
      /tell at most ε\s=\s2\.5 .* allows ε\s=\s4 in each period\./,
    ],
    [
      'a study of two periods, after an earlier version',
      { joint: jointly(4, 2) },
      { start: moment(0), end: after(moment(0), days(8)) },
      /tell at most ε\s=\s2\.5 .* By the end of the study it is at most ε\s=\s9\.5\./,
    ],
  ],
)('the budget page says what everyone was told, with %s', (_what, budget, span, words) => {
  const settings = withBudget(budget).budget;
  const said = jointLossInWords(jointLoss(settings, span, { before: 1.5, soFar: 2.5 }), settings);
  expect(said).toMatch(words);
  expect(said).toContain(
    'It does not cover debug reports, reports for totals, or anything recorded while noise was off, while a seed decided it, or while limits were those of the specification.',
  );
});

test('what one unit lost is said of one period and one reporting site', () => {
  expect(t('budget_most_lost', { epsilon: '1' })).toMatch(
    /^Of what still counts, no unit has lost more than ε\s=\s1 to one reporting site in one period\./,
  );
});
