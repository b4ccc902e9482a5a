import type { Configuration } from '../analysis/estimate/configuration';
import type { JsonObject } from '../src/model/json';
import { chromiumLimits, type SourceType } from '../src/model/limits';
import { epsilon as epsilonOf } from '../src/model/units';
import { randomizedResponse, type RandomizedResponse } from '../src/privacy/randomized-response';
import type { RandomSource } from '../src/privacy/random-source';
import { parseSource } from '../formats/registration/source';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';

/** A configuration with its noise, and the numbers of states by their reports. */
export function simulated(sourceType: SourceType, epsilon: number, fields: JsonObject = {}): Simulated {
  const registration = { destination: 'https://shop.example', ...fields };
  const { value } = parseSource(registration, sourceType, chromiumLimits);
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
