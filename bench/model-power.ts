import { agrees } from '../analysis/estimate/analysis';
import { estimatorOf } from '../analysis/estimate/estimator-of';
import { likelihoodOf } from '../analysis/estimate/likelihood';
import { seededRandomSource } from '../analysis/random/sources';
import type { JsonObject } from '../src/model/json';
import { simulated, tallyOf } from './simulated';
import { FLEXIBLE, statesOf, trial } from './trial-truths';

const SOURCES = 2000;
const CONVERTING = 200;
const EPSILONS = [6, 10];
const FOUND = 0.95;
const OPTIONS = { level: 0.95, randomness: 'noise' } as const;

/** Shares of the sources with a conversion that depart from the model. */
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1];

interface Departure {
  readonly name: string;
  readonly fields: JsonObject;
  readonly data: number;
  /** The windows of one source's reports, all of one trigger data, if the source departs from the model. */
  readonly departing: readonly (readonly number[])[];
  /** The same of the other sources with a conversion. */
  readonly others: readonly (readonly number[])[];
}

const clicks = { fields: {}, data: 8, others: [[0], [1], [2]] } as const;

export const DEPARTURES: readonly Departure[] = [
  { name: 'three reports in one window', ...clicks, departing: [[0, 0, 0]] },
  { name: 'three reports, one in each window', ...clicks, departing: [[0, 1, 2]] },
  { name: 'two reports in the first two windows', ...clicks, departing: [[0, 1]] },
  {
    name: 'flexible: two reports in one window',
    fields: FLEXIBLE,
    data: 2,
    departing: [
      [0, 0],
      [1, 1],
    ],
    others: [[0], [1]],
  },
];

/**
 * The power of the tests of fit: the smallest tried share of sources with a conversion that depart from the model so that the tests find it in 95 % of the runs. Of
 * 2,000 clicks, 200 have a conversion. The table in docs/trial-settings.md: `npm run bench -- model-power 200`. Seeds are fixed.
 */
export function benchModelPower(runs = 40, words: readonly string[] = []): void {
  for (const departure of DEPARTURES) {
    if (!words.every((word) => departure.name.includes(word))) continue;
    for (const epsilon of EPSILONS) {
      const found = SHARES.find((share) => isFoundOften(departure, epsilon, share, runs));
      const text = found === undefined ? 'none' : `${Math.round(100 * found)} %`;
      console.log([departure.name, `ε = ${epsilon}`, text].join(' | '));
    }
  }
}

/** Whether the tests find it in so many of the runs. Ends as soon as that cannot be reached. */
function isFoundOften(departure: Departure, epsilon: number, share: number, runs: number): boolean {
  const isFound = modelTest(departure, epsilon, share);
  let missed = 0;
  for (let run = 0; run < runs && missed <= (1 - FOUND) * runs; run++) if (!isFound(run)) missed += 1;
  return missed <= (1 - FOUND) * runs;
}

/**
 * @param share of the sources with a conversion that depart from the model, from 0 to 1.
 * @returns whether the model does not fit the outputs of a run, which its number determines.
 */
export function modelTest(
  { fields, data, departing, others }: Departure,
  epsilon: number,
  share: number,
): (run: number) => boolean {
  const source = simulated('navigation', epsilon, fields);
  const estimator = estimatorOf(source.configuration);
  const { likelihood } = estimator;
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  const departed = Math.round(share * CONVERTING);
  const truths = [
    ...trial(departed, departed, statesOf(source, data, departing)),
    ...trial(SOURCES - departed, CONVERTING - departed, statesOf(source, data, others)),
  ];
  return (run) => {
    const tally = tallyOf(source, truths, seededRandomSource('model power', run));
    const fitted = likelihoodOf(likelihood, [{ group: [], tally }], OPTIONS, (quantity) =>
      estimator.estimate(quantity, tally, OPTIONS),
    );
    return !(agrees(estimator, tally, fitted, OPTIONS) && fitted.fits());
  };
}
