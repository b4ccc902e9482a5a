import { estimatorOf } from '../analysis/estimate/estimator-of';
import type { Configuration } from '../analysis/estimate/configuration';
import type { ResponseLikelihood } from '../analysis/estimate/estimator';
import type { Interval } from '../analysis/estimate/interval';
import { likelihoodOf } from '../analysis/estimate/likelihood';
import type { Tally } from '../analysis/estimate/response-estimate';
import type { JsonObject } from '../src/model/json';
import type { SourceType } from '../src/model/limits';
import { seededRandomSource } from '../src/privacy/random-source';
import { simulated, tallyOf } from './simulated';

/** How often 95 % intervals by maximum likelihood hold the truth: docs/estimates.md, "Maximum likelihood". */
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
  /** One source in so many has a conversion: one report, evenly over all states with one. */
  readonly oneIn: number;
  readonly runs: number;
  /** Whether these reports are all in the first window. */
  readonly firstWindow?: boolean;
}

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
  { name: 'views', type: 'event', fields: {}, epsilon: 1, sources: 300, oneIn: 10, runs: 200 },
  { name: 'views', type: 'event', fields: {}, epsilon: 2, sources: 300, oneIn: 10, runs: 200 },
  { name: 'views', type: 'event', fields: {}, epsilon: 4, sources: 300, oneIn: 10, runs: 200 },
  { name: 'views', type: 'event', fields: {}, epsilon: 2, sources: 3000, oneIn: 10, runs: 200 },
  { name: '35 states', type: 'navigation', fields: SMALL, epsilon: 1, sources: 1000, oneIn: 10, runs: 100 },
  { name: 'flexible', type: 'navigation', fields: FLEXIBLE, epsilon: 3, sources: 300, oneIn: 5, runs: 100 },
  ...[3, 6, 8].flatMap((epsilon) =>
    [false, true].map((firstWindow): Setting => ({
      name: 'clicks',
      type: 'navigation',
      fields: {},
      epsilon,
      sources: 2000,
      oneIn: 10,
      runs: 20,
      firstWindow,
    })),
  ),
];

const holds = ([low, high]: Interval, truth: number): boolean => low - 1e-9 <= truth && truth <= high + 1e-9;

function modelOf(configuration: Configuration): ResponseLikelihood {
  const { likelihood } = estimatorOf(configuration);
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  return likelihood;
}

function intervalsOf(model: ResponseLikelihood, tally: Tally): readonly Interval[] {
  const { estimates } = likelihoodOf(model, [{ group: [], tally }], { level: 0.95, randomness: 'noise' });
  return (estimates[0] ?? []).map(({ interval }) => interval);
}

/** Of the conversions of views: the number of reports is the sum of two binomial numbers, so nothing needs to be drawn. */
function exactCoverage(epsilon: number, sources: number): void {
  const model = modelOf(simulated('event', epsilon).configuration);
  const place = model.measures.findIndex(({ quantity }) => quantity.kind === 'conversions');
  const intervals = Array.from({ length: sources + 1 }, (_, reports): Interval => {
    const counts: readonly (readonly [string, number])[] = [
      ['0', sources - reports],
      ['1', Math.ceil(reports / 2)],
      ['2', Math.floor(reports / 2)],
    ];
    return intervalsOf(model, new Map(counts.filter(([, count]) => count > 0)))[place] ?? [NaN, NaN];
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
    `conversions of ${sources} views, ε = ${epsilon}: ${words.join(', ')}; mean ${percent(mean)}, least ${percent(Math.min(...coverage))}`,
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
  const { name, type, fields, epsilon, sources, oneIn, runs, firstWindow = false } = setting;
  const source = simulated(type, epsilon, fields);
  const model = modelOf(source.configuration);
  const { measures, response } = model;
  const reportsOf = measures.find(({ quantity }) => quantity.kind === 'conversions');
  const states = Array.from({ length: Number(response.outputs) }, (_, state) => String(state));
  const windows = measures.filter(({ quantity }) => quantity.kind === 'window');
  const singles = states.filter(
    (state) => reportsOf?.adds(state) === 1 && (!firstWindow || windows[0]?.adds(state) === 1),
  );
  const each = Math.round(sources / oneIn / singles.length);
  const truths = [...Array<readonly string[]>(each).fill(singles).flat()];
  while (truths.length < sources) truths.push('0');
  const sums = measures.map(({ adds }) => truths.reduce((sum, state) => sum + adds(state), 0));
  const found = new Map<string, { held: number; count: number }>();
  for (let run = 0; run < runs; run++) {
    const random = seededRandomSource(`coverage ${name} ${epsilon} ${sources}`, run);
    const intervals = intervalsOf(model, tallyOf(source, truths, random));
    measures.forEach(({ quantity }, index) => {
      const per = quantity.kind === 'conversion-rate' ? sources : 1;
      const truth = (sums[index] ?? NaN) / per;
      const known = found.get(quantity.kind) ?? { held: 0, count: 0 };
      const held = known.held + (holds(intervals[index] ?? [NaN, NaN], truth) ? 1 : 0);
      found.set(quantity.kind, { held, count: known.count + 1 });
    });
  }
  const words = [...found].map(([kind, { held, count }]) => `${kind} ${((100 * held) / count).toFixed(1)} %`);
  const where = firstWindow ? ' in the first window' : '';
  console.log(`${sources} ${name}${where}, ε = ${epsilon}, ${runs} runs: ${words.join(', ')}`);
}
