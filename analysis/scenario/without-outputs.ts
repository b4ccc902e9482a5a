import type { Scenario, ScenarioResponse } from './scenario';

/** The scenario without the outputs that it states for its sources, so that a replay draws them or reports the truth. */
export function withoutOutputs(scenario: Scenario): Scenario {
  const drawn = (response: ScenarioResponse): ScenarioResponse => ({ ...response, randomizedResponse: null });
  return {
    ...scenario,
    events: scenario.events.map((event) =>
      event.kind === 'request' ? { ...event, responses: event.responses.map(drawn) } : event,
    ),
  };
}
