import { analyse, type AnalysedGroup } from '../analysis/estimate/analysis';
import type { Configuration } from '../analysis/estimate/configuration';
import { estimatorOf } from '../analysis/estimate/estimator-of';
import type { GroupTally } from '../analysis/estimate/tally';
import { labelEvidence, responseLossWeights } from '../analysis/estimate/training-weights';
import { areaUnderCurve } from '../analysis/learn/metrics';
import { chromiumLimits, type SourceType } from '../src/model/limits';
import { epsilon as epsilonOf } from '../src/model/units';
import { randomizedResponse, type RandomizedResponse } from '../src/privacy/randomized-response';
import { seededRandomSource, type RandomSource } from '../src/privacy/random-source';
import { parseSource } from '../src/registration/source';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';

/** The tables of docs/estimates.md on estimates by maximum likelihood and on training: `npm run bench -- estimators`. */
export function benchEstimators(): void {
  benchClicks();
  benchGroups();
  benchTraining();
}

const RUNS = 10;

/** A configuration with its noise, and the numbers of states by their reports. */
function simulated(sourceType: SourceType, epsilon: number): Simulated {
  const { value } = parseSource({ destination: 'https://shop.example' }, sourceType, chromiumLimits);
  if (value === null) throw new Error('the default source must be valid');
  const shape = shapeOf(value);
  const space = new ReportSpace(shape);
  const configuration: Configuration = {
    shape: value,
    epsilon: epsilonOf(epsilon),
    mechanism: { kind: 'rr' },
  };
  return {
    configuration,
    respond: randomizedResponse(space.states, configuration.epsilon),
    stateOf: (triggerData, windows) =>
      String(space.encode(shape.triggerData.map((_, data) => (data === triggerData ? windows : [])))),
  };
}

interface Simulated {
  readonly configuration: Configuration;
  readonly respond: (random: RandomSource) => RandomizedResponse;
  stateOf(triggerData: number, windows: readonly number[]): string;
}

function tallyOf(
  { respond }: Simulated,
  truths: readonly string[],
  random: RandomSource,
): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const truth of truths) {
    const response = respond(random);
    const output = response.kind === 'replaced' ? String(response.state) : truth;
    tally.set(output, (tally.get(output) ?? 0) + 1);
  }
  return tally;
}

const analysed = ({ configuration }: Simulated, groups: readonly GroupTally[]): ReturnType<typeof analyse> =>
  analyse(
    { name: 'bench', configuration, groups },
    { level: 0.95, randomness: 'noise', likelihood: true, singles: false },
  );

/** Mean squares of errors by name, and how often an interval holds the truth. */
class Errors {
  private readonly squares = new Map<string, { sum: number; count: number }>();

  add(name: string, error: number): void {
    const known = this.squares.get(name) ?? { sum: 0, count: 0 };
    this.squares.set(name, { sum: known.sum + error ** 2, count: known.count + 1 });
  }

  toString(): string {
    return [...this.squares]
      .map(([name, { sum, count }]) => `${name} ${Math.sqrt(sum / count).toPrecision(3)}`)
      .join(', ');
  }
}

/** Conversions by trigger data of default clicks; one source in ten has one conversion, or three of the same trigger data. */
function benchClicks(): void {
  console.log(`errors of conversions by trigger data, root mean square over ${RUNS} runs`);
  for (const [windows, epsilon, sources] of [
    [[0], 3, 2000],
    [[0], 3, 10_000],
    [[0], 8, 2000],
    [[0, 0, 1], 8, 2000],
  ] as const) {
    const click = simulated('navigation', epsilon);
    const states = Array.from({ length: 8 }, (_, data) => click.stateOf(data, windows));
    const truths = Array.from({ length: sources }, (_, source) =>
      source < sources / 10 ? (states[source % 8] ?? '0') : '0',
    );
    const truth = (windows.length * sources) / 80;
    const errors = new Errors();
    let [fits, held, intervals] = [0, 0, 0];
    for (let run = 0; run < RUNS; run++) {
      const random = seededRandomSource(`clicks ${epsilon} ${windows.length}`, run);
      const result = analysed(click, [{ group: [], tally: tallyOf(click, truths, random) }]);
      if (result.fits === true) fits += 1;
      for (const { quantity, estimate, likelihood } of result.groups[0]?.estimates ?? []) {
        if (quantity.kind !== 'trigger-data') continue;
        errors.add('raw', estimate.observed - truth);
        errors.add('unbiased', estimate.estimate - truth);
        if (likelihood === null) continue;
        errors.add('likeliest', likelihood.estimate - truth);
        intervals += 1;
        if (likelihood.interval[0] <= truth && truth <= likelihood.interval[1]) held += 1;
      }
    }
    console.log(
      `  ε = ${epsilon}, ${sources} sources, ${windows.length} reports each: ${errors.toString()}; fits ${fits} of ${RUNS}; intervals hold ${held} of ${intervals}`,
    );
  }
}

/** Views in 40 groups of 50, of which 2 to 8 have a conversion. */
function benchGroups(): void {
  const view = simulated('event', 1);
  const states = [0, 1].map((data) => view.stateOf(data, [0]));
  const converted = Array.from({ length: 40 }, (_, group) => 2 + (group % 7));
  const errors = new Errors();
  let bias = 0;
  for (let run = 0; run < RUNS; run++) {
    const groups = converted.map((count, group) => {
      const truths = Array.from({ length: 50 }, (_, source) =>
        source < count ? (states[source % 2] ?? '0') : '0',
      );
      const random = seededRandomSource('groups', run * converted.length + group);
      return { group: [String(group).padStart(2, '0')], tally: tallyOf(view, truths, random) };
    });
    const [all, ...parts] = analysed(view, groups).groups;
    const truth = converted.reduce((a, b) => a + b, 0);
    bias += (conversionsOf(all).likelihood - truth) / RUNS;
    errors.add('all, unbiased', conversionsOf(all).unbiased - truth);
    errors.add('all, likeliest', conversionsOf(all).likelihood - truth);
    parts.forEach((part, index) => {
      errors.add('each group, unbiased', conversionsOf(part).unbiased - (converted[index] ?? 0));
      errors.add('each group, likeliest', conversionsOf(part).likelihood - (converted[index] ?? 0));
    });
  }
  console.log(`errors of conversions in 40 groups of 50 views at ε = 1, root mean square over ${RUNS} runs`);
  console.log(`  ${errors.toString()}; bias of all ${bias.toFixed(1)}`);
}

function conversionsOf(group: AnalysedGroup | undefined): {
  readonly unbiased: number;
  readonly likelihood: number;
} {
  const found = group?.estimates.find(({ quantity }) => quantity.kind === 'conversions');
  return { unbiased: found?.estimate.estimate ?? NaN, likelihood: found?.likelihood?.estimate ?? NaN };
}

const EXAMPLES = 20_000;
const FEATURES = 10;
const TRAINING_RUNS = 5;

/** Logistic regression for conversions: its area under the ROC curve (AUC) above 1/2, lost by the noise. */
function benchTraining(): void {
  console.log(
    `AUC − 1/2 lost by noise, of what true labels give; ${EXAMPLES} examples, ${TRAINING_RUNS} runs`,
  );
  for (const [name, sourceType, epsilon] of [
    ['views, 3 states, ε = 1', 'event', 1],
    ['clicks, 2925 states, ε = 6', 'navigation', 6],
  ] as const) {
    const lost = { backward: 0, forward: 0 };
    for (let run = 0; run < TRAINING_RUNS; run++) {
      const found = trainedOn(simulated(sourceType, epsilon), run);
      lost.backward += (1 - (found.backward - 0.5) / (found.truth - 0.5)) / TRAINING_RUNS;
      lost.forward += (1 - (found.forward - 0.5) / (found.truth - 0.5)) / TRAINING_RUNS;
    }
    console.log(
      `  ${name}: backward ${(100 * lost.backward).toFixed(1)} %, forward ${(100 * lost.forward).toFixed(1)} %`,
    );
  }
}

/** The slope of an example's loss in the model's log odds, given its prediction. */
type Slope = (prediction: number) => number;

function trainedOn(source: Simulated, run: number): Record<'truth' | 'backward' | 'forward', number> {
  const random = seededRandomSource('training', run);
  const weights = Array.from({ length: FEATURES }, () => normal(random) / 2);
  const examples = Array.from({ length: EXAMPLES }, () => {
    const features = Array.from({ length: FEATURES }, () => normal(random));
    return { features, converted: unit(random) < logistic(dot(weights, features) - 2) };
  });
  const labels = examples.map(({ converted }) => {
    const response = source.respond(random);
    const data = Number(random.uint64() % 2n);
    if (response.kind === 'replaced') return String(response.state);
    return converted ? source.stateOf(data, [0]) : '0';
  });
  const { response } = estimatorOf(source.configuration).likelihood ?? {};
  if (response === undefined) throw new Error('randomized response has a likelihood');
  const tally = new Map<string, number>();
  for (const label of labels) tally.set(label, (tally.get(label) ?? 0) + 1);
  const evidence = labelEvidence(response, tally);
  const states = Number(response.outputs);
  const { own, other } = responseLossWeights(states, source.configuration.epsilon);
  const slopes: Record<'truth' | 'backward' | 'forward', readonly Slope[]> = {
    truth: examples.map(
      ({ converted }) =>
        (p) =>
          p - (converted ? 1 : 0),
    ),
    backward: labels.map((label) => {
      const [no, yes] = label === '0' ? [own, (states - 1) * other] : [other, own + (states - 2) * other];
      return (p) => no * p - yes * (1 - p);
    }),
    forward: labels.map((label) => {
      const ratio = evidence(label)?.ratio ?? 1;
      return (p) => (-p * (1 - p) * (ratio - 1)) / (1 + p * (ratio - 1));
    }),
  };
  const auc = (kind: 'truth' | 'backward' | 'forward'): number => {
    const model = trained(examples, slopes[kind]);
    return areaUnderCurve(
      Float32Array.from(examples, ({ features }) => dot(model, features)),
      Float32Array.from(examples, ({ converted }) => (converted ? 1 : 0)),
    );
  };
  return { truth: auc('truth'), backward: auc('backward'), forward: auc('forward') };
}

/** Gradient descent; the last weight is the intercept. */
function trained(
  examples: readonly { readonly features: readonly number[] }[],
  slopes: readonly Slope[],
): readonly number[] {
  const weights = new Array<number>(FEATURES + 1).fill(0);
  for (let step = 0; step < 150; step++) {
    const gradient = weights.map(() => 0);
    examples.forEach(({ features }, index) => {
      const slope = slopes[index]?.(logistic(dot(weights, features) + (weights[FEATURES] ?? 0))) ?? 0;
      features.forEach((feature, at) => (gradient[at] = (gradient[at] ?? 0) + slope * feature));
      gradient[FEATURES] = (gradient[FEATURES] ?? 0) + slope;
    });
    gradient.forEach((sum, at) => (weights[at] = (weights[at] ?? 0) - (2 * sum) / examples.length));
  }
  return weights;
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  b.reduce((sum, value, index) => sum + value * (a[index] ?? 0), 0);

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

const unit = (random: RandomSource): number => (Number(random.uint64() >> 11n) + 0.5) / 2 ** 53;

const normal = (random: RandomSource): number =>
  Math.sqrt(-2 * Math.log(unit(random))) * Math.cos(2 * Math.PI * unit(random));
