import type { Configuration } from '../../analysis/estimate/configuration';
import { epsilon as epsilonOf } from '../../src/model/units';
import { parsedRegistration } from './configuration';
import type { Definition } from './definition';

/** Converts a stored configuration for the estimates; null at ε = 0, where outputs are pure noise and nothing can be estimated. */
export function estimateConfiguration(definition: Definition): Configuration | null {
  const epsilon = Number(definition.registration['event_level_epsilon']);
  if (!(epsilon > 0)) return null;
  const { triggerSpecs, maxEventLevelReports, flexible } = parsedRegistration(definition);
  const { mechanism } = definition;
  return {
    shape: { triggerSpecs, maxEventLevelReports, flexible },
    epsilon: epsilonOf(epsilon),
    mechanism,
  };
}
