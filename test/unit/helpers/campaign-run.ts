import { readFileSync } from 'node:fs';
import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import { main } from '../../../cli/main';
import { randomFor } from '../../../cli/io/random';
import { parse } from '../../../formats/codec/issues';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import { publicKeys, type PublicKey } from '../../../formats/reports/sealed-payload';
import type { Json } from '../../../src/model/json';
import { days, moment } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { sealReport } from '../../../w3c/report';
import { bucketOf, campaignLog, campaignNames, CONVERSION_UNIT, type CampaignSetting } from './campaign-log';
import type { CommandWorld } from './command';

/* A log of campaigns with a known truth through `simulate`, `aggregate` and `estimate`. */

interface SourceRow {
  readonly source_event_id: string;
  readonly campaign: string;
  readonly source_type: string;
  readonly mechanism?: { readonly kind: string };
}
interface Payload {
  readonly source_event_id: string;
  /** Of a mechanism on values with noise. */
  readonly noisy_value?: number;
  /** Of a summary bucket: the least and the greatest sum in it. */
  readonly trigger_summary_bucket?: readonly [number, number];
}
export interface NumberJson {
  readonly estimate: number | null;
  readonly interval: readonly [number, number];
}
interface CampaignRow {
  readonly group: string;
  readonly rate: NumberJson | null;
  readonly summary: NumberJson | null;
  readonly histogram: NumberJson | null;
}
/** With what other kinds of reports say. */
export type Answer = EstimateResultJson & {
  readonly campaigns: { readonly basis: string; readonly groups: readonly CampaignRow[] };
};

export interface CampaignRun {
  readonly sources: readonly SourceRow[];
  /** The event-level reports without noise. */
  readonly truth: readonly Payload[];
  /** Those with noise. */
  readonly reported: readonly Payload[];
  /** How many conversions followed each source. */
  readonly conversions: ReadonlyMap<string, number>;
  /** The sums that the reports without noise give. */
  readonly counted: EstimateResultJson;
  /** What `estimate` says of the reports with noise, at a level. */
  readonly estimated: (level: number) => Promise<Answer>;
  /** The options of `estimate` for the reports with noise, at the usual level. */
  readonly options: readonly string[];
}

const rowsOf = (path: string): readonly unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

/** Runs a command. @returns what it prints */
export async function run({ out, err }: CommandWorld, ...args: readonly string[]): Promise<string> {
  out.length = 0;
  if ((await main(args)) !== 0) throw new Error(err.join(''));
  return out.join('');
}

const USUAL_LEVEL = 0.95;

export async function campaignRun(
  world: CommandWorld,
  { settings, windows }: CampaignSetting,
  people: number,
  seed: number,
): Promise<CampaignRun> {
  const { pathOf, file } = world;
  const { lines, conversions } = campaignLog(people, seed, windows);
  const keys = file('public.json', await run(world, 'aggregate', '--new-key', pathOf('keys.json')));
  const simulated = [
    ...['simulate', '--input', file('log.ndjson', [...lines]), '--settings', file('settings.json', settings)],
    ...['--seed', String(seed), '--threads', '1'],
  ];
  const [noisy, exact, log] = ['reports.ndjson', 'exact.ndjson', 'sources.ndjson'].map(pathOf) as [
    string,
    string,
    string,
  ]; // as many as names
  await run(world, ...simulated, '--output', noisy, '--sources-output', log, '--aggregation-key', keys);
  await run(world, ...simulated, '--output', exact, '--no-noise');
  const sources = rowsOf(log) as readonly SourceRow[];
  await sealHistograms(world, keys, sources, conversions);
  const grouped = ['--sources', log, '--group-by', 'campaign'];
  const options = [...grouped, '--reports', noisy];
  const estimated = async (level: number): Promise<Answer> => {
    const sums = await aggregated(world, level);
    const printed = await run(world, 'estimate', ...options, ...sums, '--level', String(level));
    return JSON.parse(printed) as Answer;
  };
  const counted = await run(world, 'estimate', ...grouped, '--reports', exact);
  return {
    ...{ sources, conversions, estimated },
    truth: payloadsIn(exact),
    reported: payloadsIn(noisy),
    counted: JSON.parse(counted) as EstimateResultJson,
    options: [...options, ...postedAt(world, USUAL_LEVEL)],
  };
}

/** Of event-level reports. */
const payloadsIn = (path: string): readonly Payload[] =>
  (rowsOf(path) as readonly { payload: Payload }[])
    .map(({ payload }) => payload)
    .filter((payload) => 'source_event_id' in payload);

const postedAt = ({ pathOf }: CommandWorld, level: number): readonly string[] => [
  ...['--summary', pathOf(`summary-${level}.ndjson`)],
  ...['--histogram', pathOf(`histogram-${level}.ndjson`)],
];

/** The options that name a summary report and a histogram of W3C Attribution, with intervals of a level. */
async function aggregated(world: CommandWorld, level: number): Promise<readonly string[]> {
  const { pathOf, file } = world;
  const bucketsOf = (unit: number, name: (campaign: string, place: number) => string): string =>
    [
      'bucket,parent,unit,campaign',
      ...campaignNames.map((one, place) => `${name(one, place)},,${unit},${one}`),
    ]
      .map((line) => `${line}\n`)
      .join('');
  const common = (kind: string, buckets: string): readonly string[] => [
    ...['--keys', pathOf('keys.json'), '--ledger', pathOf(`ledger-${kind}-${level}`)],
    ...['--buckets', file(`buckets-${kind}.csv`, buckets), '--slices', 'campaign', '--level', String(level)],
    ...['--output', pathOf(`${kind}-${level}.ndjson`)],
  ];
  await run(
    world,
    ...['aggregate', '--reports', pathOf('reports.ndjson'), '--tree', '--epsilon', '8'],
    ...common('summary', bucketsOf(CONVERSION_UNIT, bucketOf)),
  );
  await run(
    world,
    ...['aggregate', 'w3c', '--reports', pathOf('w3c.ndjson'), '--epsilon', String(W3C_EPSILON)],
    ...common(
      'histogram',
      bucketsOf(W3C_UNIT, (_, place) => String(place)),
    ),
  );
  return postedAt(world, level);
}

const W3C_UNIT = 6;
const W3C_EPSILON = 2;

/** A report of W3C Attribution for each conversion of these sources. */
async function sealHistograms(
  { file }: CommandWorld,
  keys: string,
  sources: readonly SourceRow[],
  conversions: CampaignRun['conversions'],
): Promise<void> {
  const key = parse(JSON.parse(readFileSync(keys, 'utf8')) as Json, publicKeys).value?.keys.at(
    -1,
  ) as PublicKey; // it was just made
  const call = { time: moment(Date.UTC(2026, 4, 15)), topLevelSite: 'shop.example', intermediarySite: null };
  const options = {
    ...{ epsilon: Rational.of(W3C_EPSILON), histogramSize: campaignNames.length, maxValue: W3C_UNIT },
    ...{ value: W3C_UNIT, credit: [Rational.ONE], lookback: days(30), matchValues: new Set<number>() },
    ...{ impressionSites: new Set<string>(), impressionCallers: new Set<string>() },
  };
  const random = randomFor(undefined)(0);
  const lines: string[] = [];
  for (const { source_event_id: id, campaign } of sources)
    for (let number = conversions.get(id) ?? 0; number > 0; number--) {
      const histogram = campaignNames.map((name) => (name === campaign ? W3C_UNIT : 0));
      const report = await sealReport(histogram, call, options, key, sealPayload, random);
      lines.push(`${new TextDecoder().decode(report)}\n`);
    }
  file('w3c.ndjson', lines.join(''));
}
