import type { Change } from './mutation';

/** A sabotage of W3C Attribution, and the id of the relation that finds it. */
interface W3cMutation extends Change {
  readonly breaks: string;
  readonly foundBy: string;
}

const BUDGETS = 'w3c/budgets.ts';
const DOCUMENTS = 'w3c/documents.ts';
const ENGINE = 'w3c/engine.ts';
const REPORT = 'w3c/report.ts';
const ROOM = 'w3c/room.ts';
const SERVICE = 'analysis/w3c/service.ts';

const ofBudgets: readonly W3cMutation[] = [
  {
    breaks: 'a budget with anything left pays for all',
    file: BUDGETS,
    before: 'asked <= left',
    after: 'left > 0',
    foundBy: 'epoch-with-little-left',
  },
  {
    breaks: 'the budget of a site is never charged',
    file: BUDGETS,
    before: 'asked: deduction.site }',
    after: 'asked: 0 }',
    foundBy: 'epoch',
  },
  {
    breaks: 'the global budget is never charged',
    file: BUDGETS,
    before: 'asked: deduction.shared,\n    },\n    ...impressionSites',
    after: 'asked: 0,\n    },\n    ...impressionSites',
    foundBy: 'impressions-to-all',
  },
  {
    breaks: 'the quota of an impression site is never charged',
    file: BUDGETS,
    before: 'asked: deduction.shared,\n    })),',
    after: 'asked: 0,\n    })),',
    foundBy: 'impressions-of-site',
  },
  {
    breaks: 'budgets are charged for twice the noise',
    file: BUDGETS,
    before: 'Rational.of(2 * maxValue)',
    after: 'Rational.of(4 * maxValue)',
    foundBy: 'epoch-of-drawn-start',
  },
  {
    breaks: 'credit that goes to another epoch is charged once',
    file: BUDGETS,
    before: 'microepsilons(2 * value)',
    after: 'microepsilons(value)',
    foundBy: 'epoch-to-caller',
  },
  {
    breaks: 'a conversion within one epoch is charged nothing',
    file: BUDGETS,
    before: 'sum === null ? shared : microepsilons(sum)',
    after: 'sum === null ? shared : 0',
    foundBy: 'impression',
  },
  {
    breaks: 'all sites have the budget of one together',
    file: DOCUMENTS,
    before: "`${kind} ${epoch} ${site ?? ''}`",
    after: "`${kind} ${epoch} ${kind === 'quota' ? site : ''}`",
    foundBy: 'conversions-elsewhere',
  },
  {
    breaks: 'budgets of past epochs are forgotten',
    file: DOCUMENTS,
    before: 'this.budgets.set(id, { id, kind, epoch, site, left });',
    after:
      'this.budgets.set(id, { id, kind, epoch, site, left });\n    for (const one of this.before.budgets) if (one.epoch < epoch) this.budgets.set(one.id, null);',
    foundBy: 'epoch-after-clock-ahead',
  },
  {
    breaks: 'earlier epochs are charged nothing',
    file: ENGINE,
    before: 'call.topLevelSite, sites, deduction)',
    after: 'call.topLevelSite, sites, epoch === current ? deduction : { site: 0, shared: 0 })',
    foundBy: 'earlier-epoch',
  },
  {
    breaks: 'each caller has a budget on a site',
    file: ENGINE,
    before: 'epoch, call.topLevelSite, sites',
    after: 'epoch, callerOf(call), sites',
    foundBy: 'epoch-to-callers-of-a-site',
  },
  {
    breaks: 'a conversion within one epoch is charged for its largest bucket only',
    file: ENGINE,
    before: 'histogram.reduce((a, b) => a + b, 0)',
    after: 'Math.max(0, ...histogram)',
    foundBy: 'epoch-in-two-buckets',
  },
];

const ofConversions: readonly W3cMutation[] = [
  {
    breaks: 'impressions count without a budget',
    file: ENGINE,
    before: 'budgets.every(isEnough) ?',
    after: 'budgets.length > 0 ?',
    foundBy: 'epoch',
  },
  {
    breaks: 'every conversion is charged as within one epoch',
    file: ENGINE,
    before: 'epochs.of(call.time - options.lookback) === current',
    after: 'epochs.of(call.time) === current',
    foundBy: 'epoch-to-caller',
  },
  {
    breaks: 'credit is drawn again after it was charged, as in the draft',
    file: ENGINE,
    before: '(early ?? lastTouchCredit(ofCall, usable, options, stated))',
    after: 'lastTouchCredit(ofCall, usable, options, stated)',
    foundBy: 'credit-beyond-histogram',
  },
  {
    breaks: 'an impression counts for one conversion only',
    file: ENGINE,
    before: '  return {\n    measured: {',
    after:
      '  for (const one of credited) draft.impressions.set(one.impression, null);\n  return {\n    measured: {',
    foundBy: 'conversions-elsewhere',
  },
  {
    breaks: 'the length of a report says whether it holds something',
    file: REPORT,
    before: 'length: histogramSize,',
    after: 'length: histogram.some((value) => value > 0) ? histogramSize : 1,',
    foundBy: 'epoch',
  },
  {
    breaks: 'a sealed payload has no empty buckets at its end',
    file: REPORT,
    before: 'seal(payloadOf(histogram),',
    after: 'seal(payloadOf(histogram.slice(0, 1 + histogram.findLastIndex((value) => value > 0))),',
    foundBy: 'global-budget-used',
  },
  {
    breaks: 'a report without budget says that it paid nothing',
    file: REPORT,
    before: 'microepsilons: roundedUp(epsilon.times(MICROEPSILONS)),',
    after:
      'microepsilons: histogram.some((value) => value > 0) ? roundedUp(epsilon.times(MICROEPSILONS)) : 1,',
    foundBy: 'epoch',
  },
  {
    breaks: 'reports in a pause have no buckets',
    file: 'analysis/w3c/attribution-api.ts',
    before: 'histogram: unmeasured(options)',
    after: 'histogram: unmeasured(options).slice(1)',
    foundBy: 'pause',
  },
  {
    breaks: 'each impression gets all of the value',
    file: 'w3c/credit.ts',
    before: 'value: allocated[index] ?? 0',
    after: 'value',
    foundBy: 'epoch-in-two-buckets',
  },
  {
    breaks: 'impressions that are too old get credit',
    file: 'w3c/matching.ts',
    before: 'age <= options.lookback',
    after: 'true',
    foundBy: 'epoch-beside-one-too-old',
  },
];

const ofErasing: readonly W3cMutation[] = [
  {
    breaks: 'impressions count right after an erasure',
    file: ENGINE,
    before: '{ ...view.state, lastClear: isBehind ? lastClear : time }',
    after: 'view.state',
    foundBy: 'epoch-before-and-after-erasing-sites',
  },
  {
    breaks: 'an erasure while the clock is behind takes the place of the last one',
    file: ENGINE,
    before: 'lastClear: isBehind ? lastClear : time',
    after: 'lastClear: time',
    foundBy: 'epoch-erased-again-with-clock-behind',
  },
  {
    breaks: 'budgets of later epochs are full after an erasure',
    file: ENGINE,
    before: "draft.leave('all', epoch, null, 0)",
    after: "draft.leave('all', epoch, null, 1e9)",
    foundBy: 'epoch-erased-with-clock-behind',
  },
  {
    breaks: 'impressions of the running epoch count after an erasure',
    file: 'w3c/epochs.ts',
    before: 'this.of(lastClear) + 1',
    after: 'this.of(lastClear)',
    foundBy: 'epoch-before-and-after-erasing',
  },
  {
    breaks: 'the budget of a site is full again once what it stored is cleared',
    file: ENGINE,
    before: "draft.leave('site', epoch, site, 0)",
    after: "draft.leave('site', epoch, site, limits.perSitePrivacyBudget)",
    foundBy: 'epoch-after-site-data',
  },
  {
    breaks: 'Clear-Site-Data clears the budget of a site',
    file: ENGINE,
    before: 'clearImpressionsForSite(view: View, site: string): Changes {\n  const draft = new Draft(view);',
    after:
      'clearImpressionsForSite(view: View, site: string): Changes {\n  const draft = new Draft(view);\n  for (const one of view.budgets) if (one.site === site) draft.budgets.set(one.id, null);',
    foundBy: 'epoch-after-clear-site-data',
  },
  {
    breaks: 'budgets of a site in later epochs are full after it was erased',
    file: ENGINE,
    before: 'if (!isClockTurned && isLater(epoch))',
    after: 'if (!isClockTurned && sites === null && isLater(epoch))',
    foundBy: 'epoch-erased-site-with-clock-behind',
  },
  {
    breaks: 'erasing a site while the clock is behind takes the place of the last erasure',
    file: ENGINE,
    before: 'lastClear !== null && lastClear > time;',
    after: 'lastClear !== null && lastClear > time && sites === null;',
    foundBy: 'epoch-erased-site-again-with-clock-behind',
  },
  {
    breaks: 'an erasure does not count while the clock is behind it',
    file: 'w3c/epochs.ts',
    before: 'lastClear === null ? first',
    after: 'lastClear === null || lastClear > now ? first',
    foundBy: 'epoch-with-clock-behind-erasing',
  },
];

const ofService: readonly W3cMutation[] = [
  {
    breaks: 'sums have noise for half of what a conversion can change',
    file: 'analysis/w3c/aggregate.ts',
    before: 'Rational.of(2 * maxValue)',
    after: 'Rational.of(maxValue)',
    foundBy: 'epoch-to-all',
  },
  {
    breaks: 'sums count conversions that were charged less',
    file: SERVICE,
    before: "return 'too-little-budget'",
    after: 'return null',
    foundBy: 'sum-of-cheap-conversions',
  },
  {
    breaks: 'sums count a report twice',
    file: SERVICE,
    before: "this.reportIds.has(context.reportId) ? 'duplicate' : null",
    after: 'null',
    foundBy: 'same-report-again',
  },
  {
    breaks: 'reports of all maximums are added up',
    file: SERVICE,
    before: 'JSON.stringify([collector, budgetSource, length, maxValue])',
    after: 'JSON.stringify([collector, budgetSource, length, maxValue > 0])',
    foundBy: 'reports-of-two-maximums',
  },
  {
    breaks: 'any reports are added up',
    file: SERVICE,
    before: "return 'other-task'",
    after: 'return null',
    foundBy: 'reports-of-two-maximums',
  },
  {
    breaks: 'sums of any maximum have noise for 1',
    file: SERVICE,
    before: 'noiseScale(this.first?.maxValue ?? 1,',
    after: 'noiseScale(1,',
    foundBy: 'epoch-in-two-buckets',
  },
];

const ofStorage: readonly W3cMutation[] = [
  {
    breaks: 'an impression displaces one of an earlier epoch of its site',
    file: ROOM,
    before: 'ofEpoch.filter((one)',
    after: 'impressions.filter((one)',
    foundBy: 'epoch-beyond-storage',
  },
  {
    breaks: 'an impression displaces the oldest of all',
    file: ROOM,
    before: 'epochs.of(time) === current',
    after: 'epochs.of(time) <= current',
    foundBy: 'epoch-beyond-storage-of-all',
  },
  {
    breaks: 'an impression removes what seems expired',
    file: ROOM,
    before: 'const room = roomOf(limits);',
    after:
      'const room = roomOf(limits); for (const [id, gone] of removeExpired(draft.before, now).impressions) draft.impressions.set(id, gone);',
    foundBy: 'epoch-of-clock-ahead',
  },
];

export const w3cMutations: readonly W3cMutation[] = [
  ...ofStorage,
  ...ofBudgets,
  ...ofConversions,
  ...ofErasing,
  ...ofService,
];
