import { checkInformation } from '../../src/limits/source-limits';
import type { Limits, SourceType } from '../../src/model/limits';
import type { Issue } from '../codec/mistakes';
import type { SourceRegistration } from '../../src/model/registration';
import type { Parsed } from '../codec/issues';
import { parseHeader } from './header';
import { parseSource } from './source';
import { countStates } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import { Trace } from '../../src/trace';

/**
 * Whether the header of a source registers, judging by the header alone: its syntax, and the limits on what a source may reveal. A source
 * beyond a limit has a value beside its errors, unlike a parsed one.
 */
export function validateSource(
  header: string,
  sourceType: SourceType,
  limits: Limits,
): Parsed<SourceRegistration> {
  const parsed = parseHeader(header, (json) => parseSource(json, sourceType, limits));
  return parsed.value === null
    ? parsed
    : { ...parsed, errors: beyondLimits(parsed.value, sourceType, limits) };
}

/** The engine's own check of the information limits; null if the source passes. */
export function beyondLimits(
  registration: SourceRegistration,
  sourceType: SourceType,
  limits: Limits,
): readonly Issue[] {
  const trace = new Trace();
  checkInformation(
    { limits, trace },
    { states: countStates(shapeOf(registration)), sourceType, registration },
  );
  return (
    trace.checks
      .filter(({ passed }) => !passed)
      // TypeScript cannot see that `checkInformation` makes only checks of `InformationCheckId`.
      .map(({ id, values }) => ({ code: id, values, path: '' }) as Issue)
  );
}
