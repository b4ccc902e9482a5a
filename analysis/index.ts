/**
 * What the package `@cointoss/engine` exports: the engine of Cointoss and what analyses its reports. It reads no clock, draws no randomness
 * of its own and touches no file: they are arguments.
 *
 * This is how estimates, weights for training, matchings and summary buckets are made:
 * {@includeCode ../scenarios/examples/with-engine.mjs}
 *
 * @packageDocumentation
 */
export { Engine, type Conditions, type Environment, type RegistrationEntry } from '../src/engine';
export { StoredEngine, type StoredEnvironment } from '../transactions/stored-engine';
export { chromiumLimits, type Limits, type SourceType } from '../src/model/limits';
export { defaultSettings, type Settings } from '../formats/settings/settings';
export { parseSettings } from '../formats/settings/parse-settings';
export type { FinishedReport, Report, Source } from '../src/model/records';
export type { LogEntry } from '../src/model/decision';
export type { Issue } from '../formats/codec/mistakes';
export * from '../src/model/units';
export { siteOf, siteOfUrl } from '../src/model/site';
export { originOfUrl } from '../src/model/origin';
export type { Parsed } from '../formats/codec/issues';
export { seededRandomSource } from './random/sources';
export type { RandomSource } from '../src/privacy/random-source';
export { randomizedTriggerRate } from '../src/privacy/randomized-response';
export { rrOnBins } from '../src/privacy/rr-on-bins';
export { rrWithPrior } from '../src/privacy/rr-with-prior';
export { parseHeader } from '../formats/registration/header';
export { parseSource } from '../formats/registration/source';
export { parseTrigger } from '../formats/registration/trigger';
export { countStates, ReportSpace } from '../src/states/report-space';
export { reportsOfState, shapeOf, stateOfReports } from '../src/states/source-space';
export { validateSource } from '../formats/registration/validate';
export { english } from '../words/english';
export { analyse, type Analysis, type AnalysisOptions } from './estimate/result/analysis';
export type { EstimateResultJson } from './estimate/result/estimate-result';
export type { Estimator } from './estimate/unbiased/estimator';
export { estimatorOf } from './estimate/unbiased/estimator-of';
export { estimatesOf } from './estimate/result/estimates-of';
export { LogJoin } from './estimate/result/log-join';
export { resultJson, type EstimateResult } from './estimate/result/result-json';
export { lossWeights, responseLossWeights } from './estimate/likelihood/training-weights';
export { transitionRows } from './estimate/quantities/transition';
export type { Matching, MatchingParameters } from './matching/graph';
export { greedyMatching } from './matching/greedy';
export { gaussianMatching, laplaceMatching } from './matching/noisy-weights';
export { gaussianLoss } from './noise/gaussian-loss';
export { optimize, settableEpsilon, type OptimizeRequest, type OptimizeResult } from './optimize/optimize';
export { givenDistribution } from './optimize/value-distribution';
export { replay, type ReplayOptions } from './scenario/replay';
export { parseScenario, type Scenario } from './scenario/scenario';
export { MemoryStore } from './store/memory-store';
