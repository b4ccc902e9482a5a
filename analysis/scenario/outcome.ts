import type { Registration } from '../../src/model/incoming-registration';
import type { Limits } from '../../src/model/limits';
import { parseJsonHeader } from '../../formats/registration/header';
import { parseSource } from '../../formats/registration/source';
import { parseTrigger } from '../../formats/registration/trigger';
import { ReportSpace, type ReportState } from '../../src/states/report-space';
import { shapeOf, stateOfReports } from '../../src/states/source-space';
import { ScenarioError } from './calls/scenario-error';
import type { ScenarioResponse } from './scenario';

/** A response forces an output that its source cannot have. */
export class OutcomeError extends ScenarioError {
  constructor(
    readonly response: ScenarioResponse,
    message: string,
  ) {
    super(`${response.path}.randomized_response`, message);
  }
}

/** Whether the registration's header is refused. */
export function isRefused({ register, header }: Registration, limits: Limits): boolean {
  const json = parseJsonHeader(header);
  if (json.errors.length > 0) return true;
  const parsed =
    register.kind === 'source'
      ? parseSource(json.value, register.sourceType, limits)
      : parseTrigger(json.value, limits);
  return parsed.value === null;
}

/**
 * The output that a response's `randomized_response` forces on its source, as a state and as its number; null when it forces none or
 * registers no source.
 * @throws OutcomeError when the source has no such state.
 */
export function forcedOutcome(
  { register, header }: Registration,
  response: ScenarioResponse,
  limits: Limits,
): { readonly state: ReportState; readonly number: bigint } | null {
  const { randomizedResponse } = response;
  if (randomizedResponse === null) return null;
  const json = parseJsonHeader(header).value;
  const sourceType = register.kind === 'source' ? register.sourceType : 'event';
  const source = json === null ? null : parseSource(json, sourceType, limits).value;
  if (source === null) return null;
  try {
    const state = stateOfReports(source, randomizedResponse);
    return { state, number: new ReportSpace(shapeOf(source)).encode(state) };
  } catch (error) {
    throw new OutcomeError(response, error instanceof Error ? error.message : String(error));
  }
}
