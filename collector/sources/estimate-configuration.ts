import type { Configuration } from '../../analysis/estimate/quantities/configuration';
import { epsilon as epsilonOf } from '../../src/model/units';
import { parsedRegistration } from './configuration';
import type { Definition } from './definition';

/** Converts a stored configuration for the estimates; null at ε = 0, where outputs are pure noise and nothing can be estimated. */
export function estimateConfiguration(definition: Definition): Configuration | null {
  const configuration = joinedConfiguration(definition);
  return configuration !== null && configuration.epsilon > 0 ? configuration : null;
}

/** Converts a stored configuration for the join; null if its reports say nothing. Those of heartbeats show how many are lost. */
export function joinedConfiguration(definition: Definition): Configuration | null {
  const epsilon = Number(definition.registration['event_level_epsilon']);
  if (epsilon === 0 && definition.mechanism.kind !== 'rr') return null;
  const { triggerSpecs, maxEventLevelReports, flexible } = parsedRegistration(definition);
  const { mechanism } = definition;
  return {
    shape: { triggerSpecs, maxEventLevelReports, flexible },
    epsilon: epsilonOf(epsilon),
    mechanism,
  };
}
