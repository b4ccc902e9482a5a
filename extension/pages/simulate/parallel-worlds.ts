import { replay } from '../../../analysis/scenario/replay';
import { parseScenario, type ScenarioReport } from '../../../analysis/scenario/scenario';
import { withoutOutputs } from '../../../analysis/scenario/without-outputs';
import { isJsonObject, type Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { SourceRegistration } from '../../../src/model/registration';
import type { RandomSource } from '../../../src/privacy/random-source';
import { randomizedTriggerRate, roundedRate } from '../../../src/privacy/randomized-response';
import { parseJsonHeader } from '../../../formats/registration/header';
import { parseSource } from '../../../formats/registration/source';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { meanReports } from '../explain/cell-moments';

/**
 * A session in which only chance can differ. Numbers are conversions as an advertiser estimates them without bias from the session's
 * reports and its own list of sources.
 */
export interface ParallelWorlds {
  /** From the reports that were sent, or wait. */
  readonly own: number;
  readonly truth: number;
  /** In another world: the noise of all sources, and what an attribution model draws, is drawn again. */
  readonly next: () => Promise<number>;
}

/**
 * @param document a scenario that `recordScenario` made; the outputs that it states are not used
 * @throws RangeError when it is none
 */
export async function parallelWorlds(document: Json, random: RandomSource): Promise<ParallelWorlds> {
  const { value, errors } = parseScenario(document, chromiumLimits);
  if (value === null || errors.length > 0)
    throw new RangeError(`a scenario was expected: ${JSON.stringify(errors)}`);
  const scenario = withoutOutputs(value);
  const sources: SourceRegistration[] = [];
  const truthful = await replay(scenario, {
    random: () => random,
    noise: false,
    observe: (outcome) => {
      if (outcome.kind !== 'source' || outcome.decision.kind !== 'stored') return;
      const json = parseJsonHeader(outcome.header).value;
      const source = parseSource(json, outcome.sourceType, scenario.config.limits).value;
      if (source !== null) sources.push(source);
    },
  });
  const invented = sources.reduce((sum, source) => sum + inventedOf(source), 0);
  const estimate = (reports: readonly ScenarioReport[]): number =>
    reports.reduce((sum, { payload }) => sum + weightOf(payload), -invented);
  return {
    own: estimate(value.reports),
    truth: truthful.length,
    next: async () => estimate(await replay(scenario, { random: () => random, noise: true })),
  };
}

/** A report is made of the truth with the probability 1 − p, so it counts 1/(1 − p) times. At p = 1 nothing can be learned from it. */
const weightOf = (payload: Json): number =>
  isJsonObject(payload) && typeof payload['randomized_trigger_rate'] === 'number'
    ? countOf(payload['randomized_trigger_rate'])
    : 0;

const countOf = (rate: number): number => (rate < 1 ? 1 / (1 - rate) : 0);

/** What the weights of a source's fake reports add up to on average. */
function inventedOf(source: SourceRegistration): number {
  const shape = shapeOf(source);
  const rate = roundedRate(randomizedTriggerRate(countStates(shape), source.eventLevelEpsilon));
  return rate * meanReports(shape) * countOf(rate);
}
