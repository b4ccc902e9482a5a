import { readFileSync } from 'node:fs';
import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { EstimateJson, GroupJson, TotalJson } from '../../../analysis/estimate/group-result';
import { main } from '../../../cli/main';
import { campaignLog, campaignSettings } from '../helpers/campaign-log';
import { isLong } from '../helpers/is-long';
import { useCommands } from '../helpers/command';

/*
 * Logs with a known truth: people run through the engine with noise, and again without. Every number that `estimate` gives of a campaign is
 * compared with what happened: its interval holds the truth, or the row says that it cannot be compared.
 */

const { pathOf, file, out, err } = useCommands();

interface SourceRow {
  readonly source_event_id: string;
  readonly campaign: string;
  readonly mechanism?: { readonly kind: string };
}
interface Payload {
  readonly source_event_id: string;
  /** Of a summary bucket: the least and the greatest sum in it. */
  readonly trigger_summary_bucket?: readonly [number, number];
}
interface Sample {
  readonly sources: readonly SourceRow[];
  /** Without noise. */
  readonly truth: readonly Payload[];
  readonly result: EstimateResultJson;
  /** The sums that the same reports without noise give. */
  readonly counted: EstimateResultJson;
}

const rowsOf = (path: string): readonly unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

async function sampled(
  how: object,
  seed: number,
  people: number,
  options: readonly string[] = [],
): Promise<Sample> {
  const input = file('log.ndjson', [...campaignLog(people, seed)]);
  const given = file('settings.json', how);
  const run = async (...args: string[]): Promise<void> => {
    if ((await main(args)) !== 0) throw new Error(err.join(''));
  };
  const common = ['--input', input, '--settings', given, '--seed', String(seed), '--threads', '1'];
  const [noisy, sources, exact] = [
    pathOf('reports.ndjson'),
    pathOf('sources.ndjson'),
    pathOf('exact.ndjson'),
  ];
  await run('simulate', ...common, '--output', noisy, '--sources-output', sources);
  await run('simulate', ...common, '--output', exact, '--no-noise');
  const estimated = async (reports: string, ...more: string[]): Promise<EstimateResultJson> => {
    out.length = 0;
    await run('estimate', '--reports', reports, '--sources', sources, '--group-by', 'campaign', ...more);
    return JSON.parse(out.join('')) as EstimateResultJson;
  };
  return {
    sources: rowsOf(sources) as readonly SourceRow[],
    truth: (rowsOf(exact) as readonly { payload: Payload }[]).map(({ payload }) => payload),
    result: await estimated(noisy, ...options),
    counted: await estimated(exact),
  };
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

interface Shown {
  readonly where: string;
  readonly found: EstimateJson;
  readonly truth: number;
}

/** What each number is about, counted from the reports without noise. Null: it is about something that no count is. */
function truthIn(
  { sources, truth }: Sample,
  group: GroupJson['group'],
  { quantity, value, values }: EstimateJson,
): number | null {
  const own = new Set(
    sources
      .filter(
        ({ campaign, mechanism: { kind } = { kind: 'rr' } }) =>
          kind !== 'rr' && (group['campaign'] ?? campaign) === campaign,
      )
      .map(({ source_event_id: id }) => id),
  );
  const reached = new Map([...own].map((id) => [id, 0]));
  for (const { source_event_id: id, trigger_summary_bucket: [start] = [0] } of truth)
    if (own.has(id)) reached.set(id, Math.max(start, reached.get(id) ?? 0));
  const labels = [...reached.values()];
  const count = (of: readonly number[]): number => labels.filter((label) => of.includes(label)).length;
  if (quantity === 'label') return count([value ?? NaN]);
  if (quantity === 'bin') return count(values ?? []);
  return quantity === 'label-sum' ? labels.reduce((sum, label) => sum + label, 0) : null;
}

/** Every number of the answer, with what happened. */
function shownBy(sample: Sample): readonly Shown[] {
  const { result, counted } = sample;
  const shown: Shown[] = [];
  result.configurations.forEach(({ configuration, mechanism, groups }, number) => {
    for (const { group, sources, estimates } of groups) {
      const exact = counted.configurations[number]?.groups.find(
        (one) => JSON.stringify(one.group) === JSON.stringify(group),
      );
      for (const found of estimates) {
        const truth =
          truthIn(sample, group, found) ??
          // A prior can make a truth impossible as an output, which the joining then leaves out.
          (mechanism === 'rr' && exact?.sources === sources
            ? exact.estimates.find((one) => keyOf(one) === keyOf(found))?.observed
            : null);
        if (truth !== null && truth !== undefined)
          shown.push({ where: `${configuration} ${JSON.stringify(group)} ${keyOf(found)}`, found, truth });
      }
    }
  });
  for (const total of result.totals) {
    const values = total.values;
    const valuesTruth = values === null ? null : truthIn(sample, total.group, values.sum);
    if (values !== null && valuesTruth !== null)
      shown.push({
        where: `total ${JSON.stringify(total.group)} values of ${values.sources}`,
        found: values.sum,
        truth: valuesTruth,
      });
    const truth = totalTruth(sample, total);
    if (truth === null) continue;
    for (const found of total.estimates)
      shown.push({
        where: `total ${JSON.stringify(total.group)} ${found.quantity}`,
        found,
        truth: found.quantity === 'conversions' ? truth.conversions : truth.converted / total.sources,
      });
  }
  return shown;
}

/** From the reports alone. Null: the row says that it is not about all sources of the campaign. */
function totalTruth(
  { sources, truth }: Sample,
  { group, covered, sources: all }: TotalJson,
): { readonly conversions: number; readonly converted: number } | null {
  if (covered < all) return null;
  const own = new Set(
    sources
      .filter(({ campaign }) => (group['campaign'] ?? campaign) === campaign)
      .map((row) => row.source_event_id),
  );
  expect(all).toBe(own.size);
  const reports = truth.filter(({ source_event_id: id }) => own.has(id));
  return {
    conversions: reports.length,
    converted: new Set(reports.map(({ source_event_id: id }) => id)).size,
  };
}

const holds = ({ found: { interval }, truth }: Shown): boolean => {
  const slack = 1e-9 * (1 + Math.abs(truth));
  return (interval[0] ?? NaN) <= truth + slack && truth - slack <= (interval[1] ?? NaN);
};

const PEOPLE = isLong ? 600 : 400;

/** Of each number, so that all of them together are right but for 10^-7. */
const SURE = 1 - 1e-10;

test.each(Object.entries(campaignSettings).filter((_, place) => isLong || place === 0))(
  'every number with %s holds the truth, or is not compared',
  async (_, how) => {
    const sure = await sampled(how, 1, PEOPLE, ['--level', String(SURE)]);
    const numbers = shownBy(sure);
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers.length).toBeLessThan(1000);
    expect(numbers.filter((one) => !holds(one))).toEqual([]);
    // At the usual level nearly all do, and each number is inside its interval.
    const common = await sampled(how, 2, PEOPLE / 2);
    const shown = shownBy(common);
    const held = shown.filter(holds).length;
    expect(held / shown.length).toBeGreaterThan(0.9);
    for (const { found } of shown) {
      const [low, high] = found.interval;
      expect(found.estimate).toBeGreaterThanOrEqual(low ?? NaN);
      expect(found.estimate).toBeLessThanOrEqual(high ?? NaN);
      expect(high).toBeGreaterThan(low ?? NaN);
      if (found.quantity === 'conversion-rate') expect(high).toBeLessThanOrEqual(1);
    }
    // A sum of values needs an unbiased estimate of it, which bins do not have.
    const isValued = how === campaignSettings['the unbiased randomizer'];
    expect(common.result.totals.some(({ values }) => values !== null)).toBe(isValued);
    const byName = new Map(common.result.totals.map((total) => [total.group['campaign'], total]));
    expect(byName.get('short')?.unranked).toBe('windows');
    for (const name of ['mixed', 'baskets']) expect(byName.get(name)?.unranked).toBe('uncovered');
    expect(byName.get('large')?.rank?.best).toBe(1);
    // Nothing is known of a handful, so it may have any rank.
    expect(byName.get('handful')?.rank).toEqual({ best: 1, worst: 4, tied: 3 });
  },
);
