import { estimatorOf } from '../analysis/estimate/estimator-of';
import { labelEvidence, responseLossWeights } from '../analysis/estimate/training-weights';
import { areaUnderCurve } from '../analysis/learn/metrics';
import { type RandomSource } from '../src/privacy/random-source';
import { simulated, type Simulated } from './simulated';
import { seededRandomSource } from '../analysis/random/sources';

const EXAMPLES = 20_000;
const FEATURES = 10;
const TRAINING_RUNS = 5;

/** Logistic regression for conversions: its area under the ROC curve (AUC) above 1/2, lost by the noise. */
export function benchTraining(): void {
  console.log(
    `AUC − 1/2 lost by noise, of what true labels give; ${EXAMPLES} examples, ${TRAINING_RUNS} runs`,
  );
  for (const [name, sourceType, epsilon] of [
    ['impressions, 3 states, ε = 1', 'event', 1],
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
