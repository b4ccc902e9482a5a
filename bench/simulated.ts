import type { Configuration } from '../analysis/estimate/quantities/configuration';
import { registeredConfiguration } from '../analysis/estimate/quantities/registered-configuration';
import type { JsonObject } from '../src/model/json';
import type { SourceType } from '../src/model/limits';
import { randomizedResponse, type RandomizedResponse } from '../src/privacy/randomized-response';
import type { RandomSource } from '../src/privacy/random-source';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';

/** A configuration with its noise, and the numbers of states by their reports. */
export function simulated(sourceType: SourceType, epsilon: number, fields: JsonObject = {}): Simulated {
  const configuration = registeredConfiguration(sourceType, epsilon, fields);
  const shape = shapeOf(configuration.shape);
  const space = new ReportSpace(shape);
  return {
    configuration,
    respond: randomizedResponse(space.states, configuration.epsilon),
    stateOf: (triggerData, windows) =>
      String(space.encode(shape.triggerData.map((_, data) => (data === triggerData ? windows : [])))),
  };
}

export interface Simulated {
  readonly configuration: Configuration;
  readonly respond: (random: RandomSource) => RandomizedResponse;
  stateOf(triggerData: number, windows: readonly number[]): string;
}

export function tallyOf(
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
