import { estimatorOf } from '../analysis/estimate/estimator-of';
import type { Configuration } from '../analysis/estimate/configuration';
import type { ResponseLikelihood } from '../analysis/estimate/estimator';
import type { Interval } from '../analysis/estimate/interval';
import { likelihoodOf, type Likelihood } from '../analysis/estimate/likelihood';
import type { Measure } from '../analysis/estimate/measure';
import type { Tally } from '../analysis/estimate/response-estimate';
import type { JsonObject } from '../src/model/json';
import type { SourceType } from '../src/model/limits';
import { seededRandomSource } from '../analysis/random/sources';
import { simulated, tallyOf } from './simulated';

/** How often 95 % intervals by maximum likelihood hold the truth: docs/estimate-methods.md, "Maximum likelihood". */
export function benchCoverage(): void {
  for (const epsilon of [1, 2, 4]) exactCoverage(epsilon, 100);
  for (const setting of SETTINGS) drawnCoverage(setting);
}

interface Setting {
  readonly name: string;
  readonly type: SourceType;
  readonly fields: JsonObject;
  readonly epsilon: number;
  readonly sources: number;
  /** One source in so many has a conversion. */
  readonly oneIn: number;
  readonly runs: number;
  readonly truth?: keyof typeof TRUTHS;
}

/** A part of the sources with a conversion, spread evenly over the states that are as it says. */
interface Converting {
  readonly share: number;
  readonly reports: number;
  /** Of these reports. */
  readonly inFirstWindow?: number;
  readonly ofOneTriggerData?: boolean;
}

const TRUTHS = {
  'one report each': [{ share: 1, reports: 1 }],
  'one report each, in the first window': [{ share: 1, reports: 1, inFirstWindow: 1 }],
  'one, two or three reports each': [
    { share: 1 / 2, reports: 1 },
    { share: 1 / 3, reports: 2 },
    { share: 1 / 6, reports: 3 },
  ],
  'one or two reports each, two of one trigger data': [
    { share: 2 / 3, reports: 1 },
    { share: 1 / 3, reports: 2, ofOneTriggerData: true },
  ],
} as const satisfies Readonly<Record<string, readonly Converting[]>>;

const FLEXIBLE: JsonObject = {
  max_event_level_reports: 3,
  trigger_specs: [
    { trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10, 100] },
    { trigger_data: [2], event_report_windows: { end_times: [86_400] } },
  ],
  event_report_windows: { end_times: [86_400, 172_800] },
};
const SMALL: JsonObject = { trigger_data: [0, 1, 2, 3], event_report_window: 86_400 };

const SETTINGS: readonly Setting[] = [
  { name: 'impressions', type: 'event', fields: {}, epsilon: 1, sources: 300, oneIn: 10, runs: 200 },
  { name: 'impressions', type: 'event', fields: {}, epsilon: 2, sources: 300, oneIn: 10, runs: 200 },
  { name: 'impressions', type: 'event', fields: {}, epsilon: 4, sources: 300, oneIn: 10, runs: 200 },
  { name: 'impressions', type: 'event', fields: {}, epsilon: 2, sources: 3000, oneIn: 10, runs: 200 },
  { name: '35 states', type: 'navigation', fields: SMALL, epsilon: 1, sources: 1000, oneIn: 10, runs: 100 },
  { name: 'flexible', type: 'navigation', fields: FLEXIBLE, epsilon: 3, sources: 300, oneIn: 5, runs: 100 },
  ...[3, 6, 8].flatMap((epsilon) =>
    (Object.keys(TRUTHS) as (keyof typeof TRUTHS)[]).map((truth): Setting => ({
      name: 'clicks',
      type: 'navigation',
      fields: {},
      epsilon,
      sources: 2000,
      oneIn: 10,
      runs: 20,
      truth,
    })),
  ),
];

const holds = ([low, high]: Interval, truth: number): boolean => low - 1e-9 <= truth && truth <= high + 1e-9;

function modelOf(configuration: Configuration): ResponseLikelihood {
  const { likelihood } = estimatorOf(configuration);
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  return likelihood;
}

function fit(model: ResponseLikelihood, tally: Tally): Likelihood {
  return likelihoodOf(model, [{ group: [], tally }], { level: 0.95, randomness: 'noise' });
}

/** Of the conversions of impressions: the number of reports is the sum of two binomial numbers, so nothing needs to be drawn. */
function exactCoverage(epsilon: number, sources: number): void {
  const model = modelOf(simulated('event', epsilon).configuration);
  const place = model.measures.findIndex(({ quantity }) => quantity.kind === 'conversions');
  const intervals = Array.from({ length: sources + 1 }, (_, reports): Interval => {
    const counts: readonly (readonly [string, number])[] = [
      ['0', sources - reports],
      ['1', Math.ceil(reports / 2)],
      ['2', Math.floor(reports / 2)],
    ];
    const { estimates } = fit(model, new Map(counts.filter(([, count]) => count > 0)));
    return estimates[0]?.[place]?.interval ?? [NaN, NaN];
  });
  const { keep } = model.response;
  const made = (1 - keep) * (2 / 3);
  const coverage = intervals.map((_, truth) => {
    let held = 0;
    binomial(truth, keep + made).forEach((own, kept) =>
      binomial(sources - truth, made).forEach((other, added) => {
        if (holds(intervals[kept + added] ?? [NaN, NaN], truth)) held += own * other;
      }),
    );
    return held;
  });
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const words = [0, 0.01, 0.05, 0.1, 0.3, 0.5, 1].map((share) => {
    const truth = Math.round(share * sources);
    return `${truth}: ${percent(coverage[truth] ?? NaN)}`;
  });
  const mean = coverage.reduce((a, b) => a + b, 0) / coverage.length;
  console.log(
    `conversions of ${sources} impressions, ε = ${epsilon}: ${words.join(', ')}; mean ${percent(mean)}, least ${percent(Math.min(...coverage))}`,
  );
}

function binomial(trials: number, chance: number): readonly number[] {
  let distribution = [1];
  for (let trial = 0; trial < trials; trial++)
    distribution = [...distribution, 0].map(
      (own, index) => own * (1 - chance) + (distribution[index - 1] ?? 0) * chance,
    );
  return distribution;
}

function drawnCoverage(setting: Setting): void {
  const { name, type, fields, epsilon, sources, runs, truth = 'one report each' } = setting;
  const source = simulated(type, epsilon, fields);
  const model = modelOf(source.configuration);
  const { measures } = model;
  const truths = truthsOf(model, setting);
  const sums = measures.map(({ adds }) => truths.reduce((sum, state) => sum + adds(state), 0));
  const found = new Map<string, { held: number; count: number }>();
  let fitting = 0;
  for (let run = 0; run < runs; run++) {
    const random = seededRandomSource(`coverage ${name} ${epsilon} ${sources}`, run);
    const likelihood = fit(model, tallyOf(source, truths, random));
    // Where the model does not fit, the command shows no such intervals.
    if (!likelihood.fits()) continue;
    fitting++;
    measures.forEach(({ quantity }, index) => {
      const per = quantity.kind === 'conversion-rate' ? sources : 1;
      const known = found.get(quantity.kind) ?? { held: 0, count: 0 };
      const { interval = [NaN, NaN] } = likelihood.estimates[0]?.[index] ?? {};
      const held = known.held + (holds(interval, (sums[index] ?? NaN) / per) ? 1 : 0);
      found.set(quantity.kind, { held, count: known.count + 1 });
    });
  }
  const words = [...found].map(([kind, { held, count }]) => `${kind} ${((100 * held) / count).toFixed(1)} %`);
  console.log(
    `${sources} ${name}, ε = ${epsilon}, ${truth}, fits in ${fitting} of ${runs} runs: ${words.join(', ')}`,
  );
}

function truthsOf({ measures, response }: ResponseLikelihood, setting: Setting): readonly string[] {
  const { sources, oneIn, truth = 'one report each' } = setting;
  const adding = (kind: string): readonly Measure[] =>
    measures.filter(({ quantity }) => quantity.kind === kind);
  const [all] = adding('conversions');
  const [firstWindow] = adding('window');
  const states = Array.from({ length: Number(response.outputs) }, (_, state) => String(state));
  const isLike = (state: string, like: Converting): boolean =>
    all?.adds(state) === like.reports &&
    (like.inFirstWindow === undefined || firstWindow?.adds(state) === like.inFirstWindow) &&
    (like.ofOneTriggerData !== true ||
      adding('trigger-data').some(({ adds }) => adds(state) === like.reports));
  const truths = TRUTHS[truth].flatMap((like: Converting) => {
    const alike = states.filter((state) => isLike(state, like));
    const count = Math.round((sources / oneIn) * like.share);
    return Array.from({ length: count }, (_, index) => {
      const place = count < alike.length ? Math.floor((index * alike.length) / count) : index % alike.length;
      return alike[place] ?? '0';
    });
  });
  return [...truths, ...Array<string>(sources - truths.length).fill('0')];
}
