import type { Registration } from '../../../src/model/incoming-registration';
import type { Json } from '../../../src/model/json';
import type { RecordingRule } from '../../../recording/recording-rule';
import type { Moment, Origin } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import { fillIn, sourceTypeOf } from '../../../recording/rules';

/** What a recording rule registers with the values that it found on a page. Null if its reporting origin may not register. */
export function registrationByRule(
  rule: RecordingRule,
  contextOrigin: Origin,
  values: readonly (string | null)[],
  time: Moment,
): Registration | null {
  const reportingOrigin = originOfUrl(rule.reportingOrigin);
  if (reportingOrigin === null) return null;
  return {
    occasion: { time, contextOrigin, reportingOrigin, via: rule.id },
    register:
      rule.register === 'trigger' ? { kind: 'trigger' } : { kind: 'source', sourceType: sourceTypeOf(rule) },
    header: JSON.stringify(withoutMissing(fillIn(rule.registration, values))),
    fenced: false,
    reportHeaderErrors: false,
  };
}

/** Omits fields whose value was not found on the page, so that their default or a clear error applies. */
function withoutMissing(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMissing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === null ? [] : [[key, withoutMissing(item as Json)]],
    ),
  );
}
