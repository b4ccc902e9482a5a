import type { Configuration } from '../../analysis/estimate/configuration';
import { parsedRegistration, type Definition } from '../sources/configuration';

/** A stored configuration as estimates take it; null at ε = 0, where outputs are noise alone and nothing can be estimated. */
export function estimateConfiguration(definition: Definition): Configuration | null {
  const epsilon = Number(definition.registration['event_level_epsilon']);
  if (!(epsilon > 0)) return null;
  const { triggerSpecs, maxEventLevelReports, flexible } = parsedRegistration(definition);
  const { mechanism } = definition;
  return {
    shape: { triggerSpecs, maxEventLevelReports, flexible },
    epsilon,
    mechanism,
  };
}
