import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { jointLimitInWords } from '../../../extension/pages/explain/promises';
import { budgetsShown } from '../../../extension/pages/state/budgets-shown';
import { inventedWords, outOf } from '../../../extension/pages/explain/invented';
import { continued, newHistory, type BudgetHistory } from '../../../extension/consent/budget-history';
import { oddsOf } from '../../../analysis/audit/odds';
import {
  defaultMeasurement,
  type BudgetSettings,
  type MeasurementSettings,
} from '../../../src/model/mechanisms';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { SourceRegistration } from '../../../src/model/registration';
import { epsilon, moment, type Moment } from '../../../src/model/units';
import { parseSource } from '../../../formats/registration/source';
import type { Trial } from '../../../formats/settings/trial';
import { parseTrial, serializeTrial } from '../../../formats/settings/parse-trial';
import { jointly } from '../helpers/budgets';

/** Of a trial in which a person may lose ε = 1 in a week. */
const budgetOf = (budget: JsonObject): JsonObject => ({
  ...{ unit: 'user', period: 7, epsilon: 1, cap: 2, joint: jointly(1) },
  ...budget,
});

const withBudget = (budget: Partial<BudgetSettings>): MeasurementSettings => ({
  ...defaultMeasurement,
  budget: { ...defaultMeasurement.budget, ...budget },
});

function plain(sourceType: SourceType): SourceRegistration {
  const { value } = parseSource({ destination: 'https://shop.example' }, sourceType, chromiumLimits);
  if (value === null) throw new Error('the registration is not valid');
  return value;
}

/** k / (k − 1 + e^ε), for the 2925 states of a click and the 3 of an impression. */
test.each<[string, MeasurementSettings, number, number]>([
  ['no budget, so that ε is 14', defaultMeasurement, 2925 / (2924 + Math.exp(14)), 3 / (2 + Math.exp(14))],
  ['more than an ad may have', withBudget({ epsilon: epsilon(40) }), 0.0024263, 0.0000025],
  ['1.4 for one impression', withBudget({ epsilon: epsilon(1.4) }), 0.99896, 3 / (2 + Math.exp(1.4))],
  ['14 for ten impressions', withBudget({ epsilon: epsilon(14), cap: 10 }), 0.99896, 3 / (2 + Math.exp(1.4))],
  [
    'what attribution leaves of it',
    withBudget({ epsilon: epsilon(3), attributionEpsilon: epsilon(1.6) }),
    0.99896,
    3 / (2 + Math.exp(1.4)),
  ],
  ['nothing left', withBudget({ epsilon: epsilon(1), attributionEpsilon: epsilon(1) }), 1, 1],
])(
  'with %s, chance decides that often what is reported of clicked and seen ads',
  (_what, measurement, clicked, seen) => {
    expect(oddsOf(measurement, plain('navigation')).replaced).toBeCloseTo(clicked, 5);
    expect(oddsOf(measurement, plain('event')).replaced).toBeCloseTo(seen, 5);
  },
);

test.each<[number, string]>([
  [0, 'fewer than 1 of 1000'],
  [0.00099, 'fewer than 1 of 1000'],
  [0.001, 'about 1 of 1000'],
  [0.0024263, 'about 2 of 1000'],
  [0.01, 'about 1 of 100'],
  [0.49541, 'about 50 of 100'],
  [0.99, 'about 99 of 100'],
  [0.99896, 'about 999 of 1000'],
  [0.9991, 'more than 999 of 1000'],
  [1, 'more than 999 of 1000'],
])('a probability of %d is %s', (rate, words) => {
  expect(outOf(rate)).toBe(words);
});

test('what a person counts is within half a step of the probability', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), (rate) => {
      const [, n, whole] = /^about (\d+) of (\d+)$/.exec(outOf(rate)) ?? [];
      expect(Math.abs(Number(n) / Number(whole) - rate)).toBeLessThanOrEqual(0.5 / Number(whole) + 1e-12);
    }),
  );
});

test('the words follow the settings', () => {
  expect(inventedWords(defaultMeasurement, null)).toContain(
    'Whatever you did, it decides what is reported for about 2 of 1000 ads that you click, and for fewer than 1 of 1000 that you only see. ' +
      'If 2 of 100 people buy something after an ad, nearly all reports of a purchase can be true.',
  );
  expect(inventedWords(withBudget({ epsilon: epsilon(1.4) }), null)).toContain(
    'for about 999 of 1000 ads that you click',
  );
});

test.each<MeasurementSettings['labelNoise']>([
  { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] },
  { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
])('where the mechanism is %j, there is one number only for sources that it does not fit', (labelNoise) => {
  const fits = { destination: 'https://shop.example', event_report_window: 86_400 };
  const value =
    labelNoise.kind === 'unbiased'
      ? {
          trigger_specs: [{ trigger_data: [0], event_report_windows: { end_times: [86_400] } }],
          max_event_level_reports: 1,
        }
      : { event_report_window: 86_400 };
  const source = parseSource({ ...fits, ...value }, 'event', chromiumLimits).value;
  if (source === null) throw new Error('the registration is not valid');
  const measurement = { ...defaultMeasurement, labelNoise };
  expect(oddsOf(measurement, source)).toMatchObject({ replaced: null, invented: null, epsilon: 14 });
  expect(oddsOf(measurement, plain('navigation')).replaced).toBeCloseTo(0.0024263, 6);
});

describe('in a trial', () => {
  const document = JSON.parse(
    readFileSync(path.resolve(__dirname, '../../../docs/field-trial/trial.json'), 'utf8'),
  ) as JsonObject;
  const wordsOf = (changed: JsonObject): string => {
    const { value, errors } = parseTrial({ ...document, ...changed });
    if (value === null) throw new Error(JSON.stringify(errors));
    return inventedWords(value.settings, value);
  };

  test('the odds are those of the sources that it states', () => {
    // Three outputs at ε = 1: 3/(2 + e) = 0.64.
    expect(wordsOf({})).toContain(
      'In this study it decides what is reported, whatever you did, for: Ad of the shop: about 64 of 100 that you click. ' +
        'If 2 of 100 people buy something after such an ad, at most 6 in 100 reports of a purchase are true.',
    );
  });

  test('of sources that it does not state, nothing is claimed', () => {
    expect(wordsOf({ registrations: [] })).toContain('in some studies for most');
    expect(wordsOf({ registrations: [] })).not.toMatch(/\d/);
  });

  test('what it states is read back, and mistakes in it name their place', () => {
    const { value } = parseTrial(document);
    expect(value === null ? null : parseTrial(serializeTrial(value)).value).toEqual(value);
    const bad = { name: 'Ad', sourceType: 'navigation', registration: { destination: 7 } };
    expect(parseTrial({ ...document, registrations: [bad] }).errors).toEqual([
      expect.objectContaining({ path: 'registrations[0].registration.destination' }),
    ]);
  });

  test.each<[string, JsonObject, RegExp]>([
    [
      'as the example is',
      {},
      /All reports of the study together, for all ads, .* have at most ε = 4, .* at most 55 times more or less likely\. That is for taking part once: .*\.$/,
    ],
    [
      'by month',
      { budget: budgetOf({ period: 30, joint: jointly(2) }) },
      /have at most ε = 6, .* at most 404 times .* likely\. This is the sum of ε = 2 in each of the 3 periods of 30 days\. That is for taking part once/,
    ],
    [
      'by week and publisher',
      { budget: budgetOf({ unit: 'user-publisher', joint: jointly(12) }) },
      /have at most ε = 156, whoever gets them\. So high an ε promises practically nothing\. This is the sum of ε = 12 in each of the 13/,
    ],
    [
      'by week and ad, whatever each ad registers',
      { budget: budgetOf({ unit: 'impression', epsilon: null, cap: null, joint: jointly(1) }) },
      /have at most ε = 13, /,
    ],
    [
      'in tenths',
      { budget: budgetOf({ period: 30, epsilon: 0.1, joint: jointly(0.1) }) },
      /have at most ε = 0\.3, .* at most 2 times/,
    ],
    [
      'with aggregatable reports, which it does not bound',
      { aggregatableReports: true },
      /^All reports of the study together \(except those for totals\), for all ads, .* have at most ε = 4,/,
    ],
  ])('what all reports tell together is added up, %s', (_what, settings, words) => {
    const given = document['settings'] as JsonObject;
    const { value } = parseTrial({ ...document, settings: { ...given, ...settings } });
    if (value === null) throw new Error('the trial is valid');
    expect(jointLimitInWords(value, { ...newHistory(moment(0)), soFar: 0 })).toMatch(words);
  });

  describe('without a start', () => {
    const DAY = 86_400_000;
    const from = Date.parse('2027-01-01T00:00:00Z');
    const withoutStart = Object.fromEntries(Object.entries(document).filter(([name]) => name !== 'start'));
    const trialWith = (budget: JsonObject): Trial => {
      const settings = { ...(document['settings'] as JsonObject), budget: budgetOf(budget) };
      const end = new Date(from + 70 * DAY).toISOString();
      const { value } = parseTrial({ ...withoutStart, end, settings });
      if (value === null) throw new Error('the trial is valid');
      return value;
    };
    const after = (days: number): Moment => moment(from + days * DAY);
    const shown = (
      budgets: BudgetHistory,
      asked: Trial,
      { isAsked = false, at = 0, acceptingErases = false, soFar = 0 } = {},
    ): string =>
      jointLimitInWords(
        asked,
        budgetsShown(
          {
            view: { budgets, acceptingErases },
            agreed: { trial: trialWith({}), signer: null },
            asked: { trial: asked, document: null, signer: null },
            overview: { now: after(at), jointLoss: { soFar, most: null, ahead: null } },
          },
          isAsked,
        ),
      );

    test('what was agreed to counts from then on, however late it is read', () => {
      const joined = newHistory(after(0));
      expect(shown(joined, trialWith({}))).toMatch(/have at most ε = 11, /);
      for (const at of [69, 100]) {
        expect(shown(joined, trialWith({}), { at })).toBe(shown(joined, trialWith({})));
        expect(shown(joined, trialWith({}), { at, soFar: 10 })).toBe(shown(joined, trialWith({})));
      }
    });

    test('a change that keeps the budget adds nothing, and what was told before another stays', () => {
      const joined = newHistory(after(0));
      const asked = { isAsked: true, at: 35, soFar: 3.5 };
      expect(shown(joined, trialWith({}), asked)).toBe(shown(joined, trialWith({})));
      expect(shown(joined, trialWith({ period: 8 }), asked)).toMatch(
        /have at most ε = 9\.5, .* Of that, ε = 3\.5 is for what was recorded under earlier versions of the study, and ε = 1 for each of the 6 periods of 8 days that are left\./,
      );
      for (const budget of [{ period: 8 }, { epsilon: 0.9 }, { unit: 'user-publisher' }, { owners: [[]] }])
        expect(shown(joined, trialWith(budget), asked)).toContain('Of that, ε = 3.5 is');
      expect(shown(joined, trialWith({ period: 8 }), { ...asked, acceptingErases: true })).not.toContain(
        'Of that',
      );
    });

    test('what was told before an earlier change stays', () => {
      const [first, second] = [trialWith({}), trialWith({ period: 8 })];
      const changed = continued(newHistory(after(0)), first, second, after(35), 5);
      const again = continued(changed, second, first, after(36), 6);
      expect(jointLimitInWords(first, { ...again, soFar: 6 })).toMatch(
        /have at most ε = 12, .* Of that, ε = 6 is .* and ε = 1 for each of the 6 periods/,
      );
    });

    test('what was recorded after an end that is learned of late counts, too', () => {
      const short = { ...trialWith({}), end: after(7) };
      expect(jointLimitInWords(short, { ...newHistory(after(0)), soFar: 5 })).toMatch(/have at most ε = 5, /);
    });
  });
});
