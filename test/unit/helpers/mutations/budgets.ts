import type { Mutation } from './mutation';

const BUDGET = 'src/limits/privacy-budget.ts';
const ACCOUNTS = 'src/limits/accounts.ts';

/** Units that lose more than their budget, or refusals that tell of others. */
export const budgets: readonly Mutation[] = [
  {
    breaks: 'K is off by one',
    file: BUDGET,
    before: "'impressions-of-unit', spent.count < cap, values",
    after: "'impressions-of-unit', spent.count <= cap, values",
    foundBy: ['user-publisher, K = 1, of which less is registered', 'labels-of-unit'],
  },
  {
    breaks: 'there is no K',
    file: BUDGET,
    before: "'impressions-of-unit', spent.count < cap, values",
    after: "'impressions-of-unit', true, values",
    foundBy: ['user-publisher, K = 1, of which less is registered', 'labels-on-other-days'],
  },
  {
    breaks: 'an output may take all of ε, whatever K is',
    file: BUDGET,
    before: 'shareAmong(budget, budget.cap ?? 1)',
    after: 'shareAmong(budget, 1)',
    foundBy: ['user, K = 2', 'label-of-impression'],
  },
  {
    breaks: 'outputs share the part for attribution, too',
    file: BUDGET,
    before: '.minus(Rational.of(attributionEpsilon))\n      .over',
    after: '.over',
    foundBy: ['user, exponential mechanism', 'label-of-impression'],
  },
  {
    breaks: 'the greater of the share and the registered ε is taken',
    file: BUDGET,
    before: 'epsilonOf(Math.min(share, registered))',
    after: 'epsilonOf(Math.max(share, registered))',
    foundBy: ['user, K = 2', 'label-of-impression'],
  },
  {
    breaks: 'no budget is ever used up: only K counts',
    file: BUDGET,
    before: 'fits: areWithin(together, part.epsilon, part.delta)',
    after: 'fits: true',
    foundBy: ['user, K = 2', 'labels-after-change'],
  },
  {
    breaks: 'the output that is about to be drawn is not added to what was spent',
    file: BUDGET,
    before: 'sum: sum.plus(loss), squares',
    after: 'sum, squares',
    foundBy: ['user, K = 2', 'labels-after-change'],
  },
  {
    breaks: 'conversions count for sources over budget',
    file: 'src/attribution/event-level.ts',
    before: "'source-within-budget', source.overBudget === undefined, {}",
    after: "'source-within-budget', true, {}",
    foundBy: ['user, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'a refusal depends on the reports that wait',
    file: BUDGET,
    before: "const part = partFor('report', settings);\n  for",
    after:
      "const part = partFor('report', settings);\n  if (work.draft.candidates(`${source.reportingOrigin} ${source.registration.destinations[0]}`).some(({ id }) => work.draft.get('sourceReports', id) !== undefined))\n    return { kind: 'refused', epsilon, refusal: { id: 'epsilon', unit: settings.unit, of: '', reportingSite: null, epsilon } };\n  for",
    foundBy: ['no budget', 'label-beside-impression'],
  },
  {
    breaks: 'attribution spends what is for reports',
    file: BUDGET,
    before: "      purpose: 'attribution',",
    after: "      purpose: 'report',",
    foundBy: ['user-publisher, exponential mechanism', 'labels-before-next-impression'],
  },
  {
    breaks: 'attribution spends nothing',
    file: BUDGET,
    before: '  enterAttribution(work, trigger, taking, epsilon);\n  return taking;',
    after: '  return taking;',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-of-moved-click'],
  },
  {
    breaks: 'units that cannot afford an attribution take part in it',
    file: BUDGET,
    before: 'if (!found.fits) taking',
    after: 'if (found === null) taking',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-of-moved-click'],
  },
  {
    breaks: 'sources over budget take no part in attribution, which then tells of the budget',
    file: 'src/attribution/process-trigger.ts',
    before: '(source) => matchesFilters(source, trigger.registration, trigger.time)',
    after:
      '(source) => source.overBudget === undefined && matchesFilters(source, trigger.registration, trigger.time)',
    foundBy: ['user-publisher, one budget for all ad techs, last touch', 'other-ad-tech-here'],
  },
  {
    breaks: 'spends are forgotten after a day',
    file: 'src/limits/joint-budget.ts',
    before: 'after(start, milliseconds(days(period) + MAX_EXPIRY))',
    after: 'after(start, days(1))',
    foundBy: ['user, K = 1', 'labels-on-other-days'],
  },
  {
    breaks: 'each impression has the budget of a unit, for the unit user',
    file: BUDGET,
    before: "return [named('')];",
    after: 'return [named(String(source.id))];',
    foundBy: ['user, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'each advertiser of a publisher has the budget of a unit',
    file: BUDGET,
    before: 'return [named(source.sourceSite)];',
    after: 'return [named(`${source.sourceSite}${source.registration.destinations.join()}`)];',
    foundBy: ['user-publisher, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'an impression for several advertisers spends from the first one only',
    file: BUDGET,
    before: 'return source.registration.destinations.map(named);',
    after: 'return source.registration.destinations.slice(0, 1).map(named);',
    foundBy: ['user-advertiser, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'units spend from one account',
    file: BUDGET,
    before: 'return [named(source.sourceSite)];',
    after: "return [named('')];",
    foundBy: ['user-publisher, K = 1', 'other-unit'],
  },
  {
    breaks: 'budgets of each ad tech are one for all',
    file: BUDGET,
    before: 'const reportingSite = observerOf(owners, source.reportingOrigin);',
    after: 'const reportingSite = owners.length === 0 ? null : null;',
    foundBy: ['user-publisher, K = 1', 'other-ad-tech-here'],
  },
  {
    breaks: 'impressions that are not stored, or not over budget, spend nothing',
    file: 'src/attribution/process-source.ts',
    before: 'if (source.overBudget === undefined) spendOnReport(work, source);',
    after: 'if (source.overBudget !== undefined) spendOnReport(work, source);',
    foundBy: ['user, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'only sources that report truthfully spend',
    file: 'src/attribution/process-source.ts',
    before: 'if (source.overBudget === undefined) spendOnReport(work, source);',
    after:
      "if (source.overBudget === undefined && source.noise.kind !== 'replaced') spendOnReport(work, source);",
    foundBy: ['user, K = 1', 'labels-of-unit'],
  },
  {
    breaks: 'an account keeps only its last spend',
    file: ACCOUNTS,
    before: 'sum: fraction(exact(sum).plus(loss)),',
    after: 'sum: fraction(loss),',
    foundBy: ['user, K = 2', 'labels-after-change'],
  },
  {
    breaks: 'what was spent does not count once it is erased',
    file: ACCOUNTS,
    before: '[holder, withoutNames(holder)].map(budgetKey)',
    after: '[holder].map(budgetKey)',
    foundBy: ['user-publisher, K = 1', 'labels-after-erasing'],
  },
  {
    breaks: 'several clicks of a unit are charged like one',
    file: BUDGET,
    before: 'groupPrivacy(Rational.of(epsilon), members.length)',
    after: 'groupPrivacy(Rational.of(epsilon), Math.min(members.length, 1))',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-of-moved-clicks'],
  },
];
