import type { EstimateJson, GroupJson, TotalJson } from '../../../analysis/estimate/result/group-result';
import { isBasket } from './campaign-log';
import type { Answer, CampaignRun, NumberJson } from './campaign-run';

/* What happened, beside every number that `estimate` says of campaigns. */

/** A number with its interval, and the truth that it is about. */
export interface Claim {
  readonly where: string;
  readonly found: NumberJson;
  readonly truth: number;
}

/** What a number is about, whatever it says. */
const keyOf = ({
  quantity,
  trigger_data: data,
  window_end: end,
  bucket,
  state,
  value,
  values,
}: EstimateJson): string => JSON.stringify({ quantity, data, end, bucket, state, value, values });

type Group = GroupJson['group'];

const sourcesIn = ({ sources }: CampaignRun, group: Group): CampaignRun['sources'] =>
  sources.filter(({ campaign }) => (group['campaign'] ?? campaign) === campaign);

/** The start of the highest bucket that each of these sources reached. */
function labelsOf({ truth }: CampaignRun, sources: CampaignRun['sources']): readonly number[] {
  const reached = new Map(sources.map(({ source_event_id: id }) => [id, 0]));
  for (const { source_event_id: id, trigger_summary_bucket: [start] = [0] } of truth) {
    const known = reached.get(id);
    if (known !== undefined) reached.set(id, Math.max(start, known));
  }
  return [...reached.values()];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Of a mechanism on values. Null: it is about something that no count is. */
function valueTruth(
  run: CampaignRun,
  group: Group,
  { quantity, value, values }: EstimateJson,
): number | null {
  const labels = labelsOf(
    run,
    sourcesIn(run, group).filter(({ mechanism: { kind } = { kind: 'rr' } }) =>
      ['unbiased', 'rr-on-bins'].includes(kind),
    ),
  );
  const count = (of: readonly number[]): number => labels.filter((label) => of.includes(label)).length;
  if (quantity === 'label') return count([value ?? NaN]);
  if (quantity === 'bin') return count(values ?? []);
  return quantity === 'label-sum' ? sum(labels) : null;
}

const claim = (where: string, { estimate, interval: [low, high] }: EstimateJson, truth: number): Claim => ({
  where,
  found: { estimate: estimate ?? NaN, interval: [low ?? NaN, high ?? NaN] },
  truth,
});

/** Of the groups of each configuration. */
function configurationClaims(run: CampaignRun, { configurations }: Answer): readonly Claim[] {
  return configurations.flatMap(({ configuration, mechanism, groups }, number) =>
    groups.flatMap(({ group, sources, estimates }) => {
      const exact = run.counted.configurations[number]?.groups.find(
        (one) => JSON.stringify(one.group) === JSON.stringify(group),
      );
      return estimates.flatMap((found) => {
        const truth = ['rr', 'rr-with-prior'].includes(mechanism)
          ? // A prior can make a truth impossible as an output, which the joining then leaves out.
            exact?.sources === sources
            ? exact.estimates.find((one) => keyOf(one) === keyOf(found))?.observed
            : null
          : valueTruth(run, group, found);
        const where = `${configuration} ${JSON.stringify(group)} ${keyOf(found)}`;
        return truth === null || truth === undefined ? [] : [claim(where, found, truth)];
      });
    }),
  );
}

/** Of the sums over configurations. */
function totalClaims(run: CampaignRun, total: TotalJson): readonly Claim[] {
  const where = `total ${JSON.stringify(total.group)}`;
  const own = sourcesIn(run, total.group);
  expect([where, total.sources]).toEqual([where, own.length]);
  const { values, hidden, buckets } = total.uncovered;
  expect([where, total.covered + values + hidden + buckets]).toEqual([where, own.length]);
  return [...conversionClaims(run, total, where), ...valueClaims(run, total, where)];
}

/** Of groups whose sources all count conversions. */
function conversionClaims(
  run: CampaignRun,
  { covered, sources, estimates, compared, group }: TotalJson,
  where: string,
): readonly Claim[] {
  if (covered < sources) return [];
  const { reports, converted } = conversionsOf(run, group);
  const rate = converted / sources;
  return [
    ...estimates.map((found) =>
      claim(`${where} ${found.quantity}`, found, found.quantity === 'conversions' ? reports : rate),
    ),
    ...(compared === null
      ? []
      : [
          {
            where: `${where} compared`,
            found: { estimate: compared.estimate, interval: compared.interval },
            truth: rate,
          },
        ]),
  ];
}

/** How many reports without noise a group has, and how many of its sources have one. */
function conversionsOf(
  run: CampaignRun,
  group: Group,
): { readonly reports: number; readonly converted: number } {
  const own = new Set(sourcesIn(run, group).map(({ source_event_id: id }) => id));
  const ids = run.truth.map(({ source_event_id: id }) => id).filter((id) => own.has(id));
  return { reports: ids.length, converted: new Set(ids).size };
}

function valueClaims(run: CampaignRun, { values, group }: TotalJson, where: string): readonly Claim[] {
  if (values === null) return [];
  const own = sourcesIn(run, group).filter(({ campaign, source_type: type }) => isBasket(campaign, type));
  expect([where, values.sources]).toEqual([where, own.length]);
  const truth = sum(labelsOf(run, own));
  return [
    claim(`${where} values`, values.sum, truth),
    claim(`${where} average value`, values.average, truth / own.length),
  ];
}

/** Of what a summary report and a histogram say. */
function postedClaims(run: CampaignRun, { campaigns: { basis, groups } }: Answer): readonly Claim[] {
  return groups.flatMap(({ group, rate, summary, histogram }) => {
    const own = sourcesIn(run, { campaign: group });
    const conversions = sum(own.map(({ source_event_id: id }) => run.conversions.get(id) ?? 0));
    const rateTruth = basis === 'summary' ? conversions : conversionsOf(run, { campaign: group }).converted;
    return [
      { where: `${group} rate by all reports`, found: rate, truth: rateTruth / own.length },
      { where: `${group} by summary`, found: summary, truth: conversions },
      { where: `${group} by histogram`, found: histogram, truth: conversions },
    ].flatMap(({ found, ...rest }) => (found === null ? [] : [{ found, ...rest }]));
  });
}

/** Every number of the answer, with what happened. */
export const claimsOf = (run: CampaignRun, answer: Answer): readonly Claim[] => [
  ...configurationClaims(run, answer),
  ...answer.totals.flatMap((total) => totalClaims(run, total)),
  ...postedClaims(run, answer),
];

/** What is said to be observed is what reports say, added up over configurations; nobody observes a number that only weights give. */
export function expectObserved(run: CampaignRun, { configurations, totals }: Answer): number {
  let compared = 0;
  for (const { mechanism, groups } of configurations)
    for (const { sources, estimates } of groups)
      for (const { quantity, value, observed, noise, noise_share: share } of estimates) {
        compared += 1;
        const where = [mechanism, quantity, value, observed];
        const isMoved = mechanism === 'unbiased';
        expect([...where, noise === null, share === null]).toEqual([
          ...where,
          isMoved,
          isMoved || observed === 0,
        ]);
        if (quantity === 'label') expect([...where, observed === null]).toEqual([...where, isMoved]);
        if (!['label', 'bin', 'conversions'].includes(quantity) || observed === null) continue;
        expect([...where, Number.isInteger(observed), observed >= 0]).toEqual([...where, true, true]);
        if (quantity !== 'conversions') expect(observed).toBeLessThanOrEqual(sources);
      }
  for (const { group, estimates, values, covered, sources } of totals) {
    const own = new Set(sourcesIn(run, group).map(({ source_event_id: id }) => id));
    const reports = run.reported.filter(({ source_event_id: id }) => own.has(id));
    const found = estimates.find(({ quantity }) => quantity === 'conversions');
    if (covered === sources && found !== undefined) expect(found.observed).toBe(reports.length);
    const noisy = reports.flatMap(({ noisy_value: value }) => (value === undefined ? [] : [value]));
    if (noisy.length > 0 && values !== null) expect(values.sum.observed).toBeCloseTo(sum(noisy), 6);
    compared += 2;
  }
  return compared;
}

/** Everything is said from noisy reports, so an interval of one point claims too much, even where it is the truth. */
export function holds({ found: { interval }, truth }: Claim): boolean {
  const [low, high] = interval;
  const slack = 1e-9 * (1 + Math.abs(truth));
  return low < high && low <= truth + slack && truth - slack <= high;
}

/** The groups whose true place is not among those that their rank leaves open. */
export function wrongRanks(run: CampaignRun, { totals }: Answer): readonly string[] {
  const ranked = totals.flatMap(({ group, sources, rank }) =>
    rank === null ? [] : [{ group, rank, rate: conversionsOf(run, group).converted / sources }],
  );
  return ranked
    .filter(({ rank, rate }) => {
      const above = ranked.filter((other) => other.rate > rate).length;
      const below = ranked.filter((other) => other.rate < rate).length;
      return rank.best > ranked.length - below || rank.worst < 1 + above;
    })
    .map(({ group }) => JSON.stringify(group));
}
