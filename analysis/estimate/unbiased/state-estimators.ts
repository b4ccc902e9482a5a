import type { Epsilon } from '../../../src/model/units';
import { unexpected } from '../../../src/privacy/parameters';
import { responseAspects } from './aspects';
import { responseRates } from '../intervals/channel';
import type { Mechanism } from '../quantities/configuration';
import type { Estimator } from './estimator';
import { allowLosses, lostReports } from './lost-reports';
import { countOf, estimableOf, likeliest, overMeasures } from './measured';
import { listedMeasure } from '../quantities/measure';
import { shortfallOf } from './shortfall';
import type { StateMeasures } from '../quantities/state-measures';

export function stateEstimator(measures: StateMeasures, epsilon: Epsilon): Estimator {
  const response = responseRates(Number(measures.states), epsilon);
  const reportCounts = measures.measure({ kind: 'conversions' });
  const all = measures.all.map((quantity) => measures.measure(quantity));
  const { sharing } = measures;
  return {
    ...overMeasures(
      all,
      response,
      {
        outputs: measures.states,
        outputAt: String,
        composition: (output) => measures.composition(output),
        ...(sharing === null ? {} : { sharing }),
      },
      (quantity) => (quantity.kind === 'state' ? measures.measure(quantity) : null),
    ),
    outputs: measures.states,
    hidden: [],
    valued: false,
    outputOf: () => null,
    isOutput: (output) => BigInt(output) < measures.states,
    shortfall: (tally) => shortfallOf(reportCounts, response, tally),
    aspects: responseAspects(all, response),
    lostReports: (tally, level) => lostReports(reportCounts, response.keep, tally, level),
    allowLosses: (groups, lost, tests) => allowLosses(reportCounts, response.keep, groups, lost, tests),
    single: (state) => ({ kind: 'state', state }),
  };
}

export function priorStateEstimator(
  measures: StateMeasures,
  prior: Extract<Mechanism, { kind: 'rr-with-prior' }>['prior'],
  epsilon: Epsilon,
): Estimator {
  if (BigInt(prior.length) !== measures.states)
    throw unexpected('prior', prior.length, 'probability-per-state', { states: String(measures.states) });
  const ranked = likeliest(prior, epsilon);
  const listed = measures.all.map((quantity) => {
    return listedMeasure(quantity, ranked.possible, measures.measure(quantity).adds);
  });
  const counts = { kind: 'conversions' } as const;
  const reportCounts = listedMeasure(counts, ranked.possible, measures.measure(counts).adds);
  const kind = ranked.impossible.length === 0 ? 'state' : 'state-with-share';
  const shared = ranked.impossible.length === 0 ? [] : ranked.possible;
  return {
    ...estimableOf(
      [...listed, ...shared.map((state) => countOf({ kind, state }, state, ranked.possible))],
      ranked,
      (quantity) => (quantity.kind === kind ? countOf(quantity, quantity.state, ranked.possible) : null),
    ),
    outputs: BigInt(ranked.possible.length),
    valued: false,
    outputOf: () => null,
    shortfall: (tally) => shortfallOf(reportCounts, ranked.response, tally),
    aspects: responseAspects(listed, ranked.response),
    single: shared.length === 0 ? (state) => ({ kind, state }) : null,
  };
}
