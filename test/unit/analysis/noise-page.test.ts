import { readFileSync } from 'node:fs';
import path from 'node:path';
import { audit, comparisonsOf } from '../../../analysis/audit/audit';
import { matrix } from '../../../analysis/audit/matrix';
import type { Observer } from '../../../analysis/audit/observer';
import { observersOf } from '../../../analysis/audit/relation';
import { relations } from '../../../analysis/audit/relations';
import { seededRandomSource } from '../../../analysis/random/sources';
import { root } from '../../../node/root';
import { isLong } from '../helpers/is-long';
import { mutations } from '../helpers/mutations/mutations';

const page = readFileSync(path.join(root, 'docs/audit.md'), 'utf8');

const seenBy: Readonly<Record<Observer, string>> = {
  'reporting-site': 'one reporting site',
  everyone: 'everyone together',
  'one-source': 'one reporting site, in the reports of one source',
  untimed: 'one reporting site, without times and order',
  aggregatable: 'one reporting site, in aggregatable reports',
};

const ofUnit = 'ε − `attributionEpsilon`';
const none = 'nothing';
const withQuotas = 'impression, one budget for all ad techs, with quotas of half';
const oneAttribution = 'exponential mechanism, a budget for one attribution';
/** Ten seconds of processor time. */
const withDelta = 'user, K = 5, with δ, of which less is registered';

/** For each comparison, what is promised in words, and the configuration that is the example. */
const examples: readonly (readonly [
  relation: string,
  observer: Observer,
  promise: string,
  configuration: string,
])[] = [
  ['label-of-impression', 'reporting-site', 'ε₁', 'no budget'],
  ['window-of-conversion', 'reporting-site', 'ε₁', 'clicks with two windows'],
  ['further-conversions', 'reporting-site', 'ε₁', 'sums of values in two windows'],
  ['most-conversions', 'reporting-site', 'ε₁', 'clicks with eight trigger data'],
  ['label-beside-impression', 'reporting-site', 'ε₁', 'no budget'],
  ['label-without-epsilon', 'reporting-site', '0', 'no budget'],
  ['label-before-later-conversion', 'reporting-site', 'ε₁', 'unbiased label noise of two values'],
  ['order-of-arrival', 'reporting-site', 'ε₁', 'clicks'],
  ['label-while-offline', 'reporting-site', 'ε₁', 'servers that fail first'],
  ['label-when-hurried', 'reporting-site', 'ε₁', 'unbiased label noise'],
  ['label-with-clock-ahead', 'reporting-site', 'ε₁', 'servers that fail first'],
  ['labels-before-next-impression', 'reporting-site', 'ε₁', 'user-publisher, exponential mechanism'],
  [
    'label-before-last-of-joint-budget',
    'reporting-site',
    'ε₁',
    'impression, one budget for all ad techs, of two impressions',
  ],
  [
    'many-labels-before-next-impression',
    'reporting-site',
    `ε₁; ${ofUnit}, if they use up a unit’s part for private attribution`,
    'user-publisher, exponential mechanism',
  ],
  ['label-beyond-cap', 'reporting-site', '0', 'user, K = 1'],
  ['label-before-removal', 'reporting-site', 'ε₁', 'clicks with two windows'],
  ['label-at-attribution-limit', 'reporting-site', 'ε₁', 'no budget'],
  ['label-at-attribution-limit', 'reporting-site', none, 'limits of the specification'],
  ['label-at-attribution-limit-later', 'reporting-site', 'ε₁', 'servers that fail first'],
  ['label-at-second-attribution', 'reporting-site', 'ε₁', 'servers that fail first'],
  ['destination-of-label-at-attribution-limit', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-full-storage', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-full-storage', 'reporting-site', none, 'limits of the specification'],
  ['label-with-full-storage-later', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-full-bytes', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-last-bytes', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-reports-waiting', 'reporting-site', 'ε₁', 'unbiased label noise'],
  ['label-with-tried-reports-waiting', 'reporting-site', 'ε₁', 'servers that fail first'],
  ['label-with-forgotten-claim', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-outranked-claim', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-forgotten-scope', 'reporting-site', 'ε₁', 'no budget'],
  ['label-with-scope', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-other-scopes', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-no-scopes', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-end-of-attribution-window', 'reporting-site', 'ε₁', 'no budget'],
  ['label-across-change-of-limits', 'reporting-site', 'ε₁', 'no budget'],
  ['label-across-change-of-settings', 'reporting-site', 'ε₁', 'unbiased label noise'],
  ['label-before-destinations-of-day', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-destinations-of-minute', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-source-origins', 'everyone', 'ε₁', 'no budget'],
  ['label-before-origins-of-site', 'everyone', 'ε₁', 'no budget'],
  ['label-before-removal-with-clock-back', 'reporting-site', 'ε₁', 'no budget'],
  ['conversion-beyond-attributions', 'reporting-site', '0', 'truthful sources'],
  ['conversions-beyond-attributions', 'reporting-site', '0', 'truthful sources'],
  ['conversion-beyond-origins', 'reporting-site', '0', 'truthful sources'],
  ['conversion-beyond-storage', 'reporting-site', '0', 'truthful sources'],
  ['ad-beyond-attributions', 'aggregatable', '0', 'truthful sources'],
  ['label-of-other-ad-tech-at-limit-later', 'reporting-site', 'ε₁ of that output', 'no budget'],
  ['label-of-other-ad-tech-at-limit', 'everyone', 'ε₁ of that output', 'no budget'],
  ['other-ad-tech-at-limit', 'reporting-site', none, 'no budget'],
  ['labels-of-unit', 'reporting-site', ofUnit, 'user, K = 2'],
  ['labels-on-other-days', 'reporting-site', ofUnit, 'user-advertiser, K = 2'],
  ['labels-for-adversary', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-change', 'reporting-site', ofUnit, 'user, K = 2'],
  ['labels-after-change', 'reporting-site', `${ofUnit}, with δ`, withDelta],
  ['labels-after-new-owners', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-new-period', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-new-period-with-clock-ahead', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-new-period-with-clock-behind', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-erasing-with-clock-behind', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-new-unit', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-new-owners-of-quotas', 'reporting-site', '`reportingSite` of `joint`', withQuotas],
  ['labels-after-new-quotas', 'reporting-site', '`reportingSite` of `joint`', withQuotas],
  ['labels-after-clock-ahead', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-clock-ahead-of-quotas', 'reporting-site', '`reportingSite` of `joint`', withQuotas],
  ['labels-after-new-period-of-quotas', 'everyone', '`sourceSite` of `joint`', withQuotas],
  ['labels-after-erasing-of-quotas', 'everyone', '`destination` of `joint`', withQuotas],

  ['arm-of-campaign', 'reporting-site', 'ε₁', 'user-advertiser, K = 2'],
  ['arm-of-campaign-of-two-ads', 'reporting-site', ofUnit, 'user-advertiser, K = 2'],
  ['arm-of-campaign-of-three-ads', 'reporting-site', ofUnit, 'user, K = 1'],
  ['arm-that-drops-conversions', 'reporting-site', ofUnit, 'user-advertiser, K = 2'],
  ['labels-after-erasing', 'reporting-site', ofUnit, 'user, K = 1'],
  ['labels-after-erasing-sites', 'reporting-site', ofUnit, 'user-publisher, K = 1'],
  ['label-before-erasing', 'reporting-site', 'ε₁', 'unbiased label noise'],
  ['label-before-erasing-sites', 'reporting-site', 'ε₁', 'no budget'],
  ['label-before-erasing-hours', 'reporting-site', 'ε₁', 'no budget'],
  ['labels-of-page', 'everyone', '`sourceSite` of `joint`', withQuotas],
  ['labels-of-advertiser', 'everyone', '`destination` of `joint`', withQuotas],
  [
    'labels-of-all',
    'reporting-site',
    `${ofUnit} for the unit \`user\`, of all reporting sites of one owner`,
    'user, two ad techs of one owner, exponential mechanism, K = 1',
  ],
  ['labels-of-all', 'everyone', 'ε of `joint`', withQuotas],
  ['labels-of-all', 'everyone', 'without `joint` nothing', 'no budget'],
  ['conversion', 'reporting-site', `${ofUnit} for the unit \`user\``, 'user, K = 2'],
  ['conversion', 'reporting-site', 'for other units nothing', 'user-publisher, K = 1'],
  ['other-unit', 'one-source', '0; with `joint` ε₁', 'user-publisher, K = 1'],
  ['other-ad-tech-elsewhere', 'reporting-site', '0; with `joint` ε₁', 'user, K = 1'],
  [
    'other-ad-tech-here',
    'reporting-site',
    '0; with `joint` ε₁ of each output that it leaves without room',
    'user-publisher, one budget for all ad techs, last touch',
  ],
  ['conversions-of-other-ad-tech', 'reporting-site', '0', 'user, one budget for all ad techs, K = 1'],
  ['conversions-of-other-ad-tech', 'everyone', 'ε₁ of that output', 'no budget'],
  ['past-value', 'reporting-site', 'ε of the prior', 'user, a private prior from other people'],
  [
    'past-value',
    'reporting-site',
    'ε of the prior and ε₁, if the source also reports',
    'impression, a private prior out of its budget',
  ],
  [
    'credit-of-moved-click',
    'untimed',
    `what attribution is charged; ${ofUnit} for the unit \`user\``,
    'exponential mechanism, hardly any noise',
  ],
  ['credit-of-passed-click', 'untimed', 'the same', 'permute-and-flip, hardly any noise'],
  ['credits-of-moved-click', 'untimed', '`attributionEpsilon`', oneAttribution],
  [
    'credits-of-moved-clicks',
    'untimed',
    '`attributionEpsilon`',
    'exponential mechanism, a budget for one attribution among two clicks',
  ],
  ['credits-in-two-periods', 'untimed', '`attributionEpsilon`', oneAttribution],
  ['credits-after-new-period', 'untimed', '`attributionEpsilon`', oneAttribution],
  ['credits-after-new-unit', 'untimed', '`attributionEpsilon`', oneAttribution],
  [
    'credits-after-erasing',
    'untimed',
    '`attributionEpsilon`',
    'exponential mechanism, a budget for one attribution and four impressions',
  ],
  ['click-moved', 'reporting-site', 'nothing: each report tells it', 'no budget'],
  ['impression', 'reporting-site', 'nothing: the reporting site showed it', 'no budget'],
  [
    'ad-before-conversion',
    'aggregatable',
    'nothing: a report is 20 times as probable after an ad, and none comes only without one',
    'aggregatable reports',
  ],
  ['ad-before-reported-conversion', 'aggregatable', 'a factor of 20', 'aggregatable reports'],
  ['ad-before-conversion-with-context', 'aggregatable', '0', 'aggregatable reports'],
  ['ad-before-conversion-with-debug-data', 'aggregatable', '0', 'aggregatable reports'],
  ['ad-before-conversion-with-debug-data-later', 'aggregatable', '0', 'aggregatable reports'],
];

const shown = (epsilon: number | null): string =>
  epsilon === null ? '–' : epsilon === Infinity ? '∞' : String(Number(epsilon.toFixed(3)));

const tried = examples.filter(([, , , configuration]) => isLong || configuration !== withDelta);

const withProbability = (delta = 0): string => (delta < 1e-9 ? '' : `, δ = ${Number(delta.toPrecision(2))}`);

test.each(tried)('%s, %s: %s, with the example %s', async (id, observer, promise, configuration) => {
  const audited = matrix.find(({ name }) => name === configuration);
  if (audited === undefined) throw new RangeError(`there is no configuration ${configuration}`);
  const comparison = comparisonsOf(audited).find(
    (one) => one.relation.id === id && one.observer === observer,
  );
  if (comparison === undefined) throw new RangeError(`${configuration} does not compare ${id}`);
  const finding = await audit(audited, comparison, seededRandomSource('page', 1));
  const row = [
    comparison.relation.differs,
    seenBy[observer],
    Object.keys(comparison.relation.limits ?? {})
      .map((limit) => `\`${limit}\``)
      .join(', '),
    promise,
    `\`${id}\``,
    configuration,
    shown(finding.promise) + withProbability(finding.delta?.promise),
    shown(finding.loss.epsilon) + withProbability(finding.delta?.lost),
  ];
  const lines = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  expect(lines).toContain(`| ${row.join(' | ')} |`.replaceAll(/ +/g, ' '));
});

test('the table has all comparisons of the audit', () => {
  const tried = relations.flatMap((relation) =>
    observersOf(relation).map((observer) => `${relation.id} ${observer}`),
  );
  const listed = new Set(examples.map(([id, observer]) => `${id} ${observer}`));
  expect([...listed].sort()).toEqual([...tried, 'past-value reporting-site'].sort());
});

test('the page says how many mutations there are', () => {
  expect(page).toContain(` ${mutations.length} ways`);
});
