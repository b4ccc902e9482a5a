import { checkInformation } from '../../src/limits/source-limits';
import type { Limits, SourceType } from '../../src/model/limits';
import type { Issue } from '../../src/model/mistakes';
import type { SourceRegistration } from '../../src/model/registration';
import type { Parsed } from '../codec/issues';
import { parseHeader } from './header';
import { parseSource } from './source';
import { countStates } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import { Trace } from '../../src/work';

/**
 * Whether a source's header registers, as far as the header alone decides: its syntax, and the limits on what a source may tell.
 * Unlike a parsed one, a source beyond a limit has a value beside its errors.
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

/** The limit on its information that a source passes, if any, in the engine's own judgement. */
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
