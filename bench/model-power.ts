import { agrees } from '../analysis/estimate/result/analysis';
import { estimatorOf } from '../analysis/estimate/unbiased/estimator-of';
import { likelihoodOf } from '../analysis/estimate/likelihood/likelihood';
import { seededRandomSource } from '../analysis/random/sources';
import { simulated, tallyOf } from './simulated';
import { statesOf, trial } from './trial-truths';

const SIZES = [2000, 20_000];
/** Of the sources. */
const CONVERTING = 0.1;
const EPSILONS = [6, 8, 10];
const FOUND = 0.95;
const OPTIONS = { level: 0.95, randomness: 'noise' } as const;

/** Shares of the sources with a conversion that depart from the model. */
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1];

interface Departure {
  readonly name: string;
  /** The windows of one source's reports, all of one trigger data, if the source departs from the model. */
  readonly departing: readonly (readonly number[])[];
}

/** The same of the other sources with a conversion. */
const OTHERS = [[0], [1], [2]];
const TRIGGER_DATA = 8;

export const DEPARTURES: readonly Departure[] = [
  { name: 'three reports in one window', departing: [[0, 0, 0]] },
  { name: 'three reports, one in each window', departing: [[0, 1, 2]] },
  { name: 'two reports in the first two windows', departing: [[0, 1]] },
];

/**
 * The power of the tests of fit: the smallest tried share of sources with a conversion that depart from the model so that the tests find it in 95 % of the runs. One
 * in ten clicks has a conversion. The table in docs/trial-settings.md: `npm run bench -- model-power 200`. Seeds are fixed.
 */
export function benchModelPower(runs = 40, words: readonly string[] = []): void {
  for (const departure of DEPARTURES) {
    if (!words.every((word) => departure.name.includes(word))) continue;
    for (const sources of SIZES)
      for (const epsilon of EPSILONS) {
        const found = SHARES.find((share) => isFoundOften(departure, { sources, epsilon, share }, runs));
        const text = found === undefined ? 'none' : `${Math.round(100 * found)} %`;
        console.log([departure.name, `${sources} sources`, `ε = ${epsilon}`, text].join(' | '));
      }
  }
}

/** Whether the tests find it in so many of the runs. Ends as soon as that cannot be reached. */
function isFoundOften(departure: Departure, trial: Departed, runs: number): boolean {
  const isFound = modelTest(departure, trial);
  let missed = 0;
  for (let run = 0; run < runs && missed <= (1 - FOUND) * runs; run++) if (!isFound(run)) missed += 1;
  return missed <= (1 - FOUND) * runs;
}

interface Departed {
  readonly sources: number;
  readonly epsilon: number;
  /** Of the sources with a conversion, those that depart from the model: from 0 to 1. */
  readonly share: number;
}

/**
 * @returns whether the model does not fit the outputs of a run, which its number determines.
 */
export function modelTest(
  { departing }: Departure,
  { sources, epsilon, share }: Departed,
): (run: number) => boolean {
  const source = simulated('navigation', epsilon);
  const estimator = estimatorOf(source.configuration);
  const { likelihood } = estimator;
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  const converting = CONVERTING * sources;
  const departed = Math.round(share * converting);
  const truths = [
    ...trial(departed, departed, statesOf(source, TRIGGER_DATA, departing)),
    ...trial(sources - departed, converting - departed, statesOf(source, TRIGGER_DATA, OTHERS)),
  ];
  return (run) => {
    const tally = tallyOf(source, truths, seededRandomSource('model power', run));
    const fitted = likelihoodOf(likelihood, [{ group: [], tally }], OPTIONS, (quantity) =>
      estimator.estimate(quantity, tally, OPTIONS),
    );
    return !(agrees(estimator, tally, fitted, OPTIONS) && fitted.fits());
  };
}
