import type { RequestEligibility } from '../../eligibility-mark';

/**
 * ARA, "get an eligibility from AttributionReportingRequestOptions".
 * @throws TypeError if Web IDL cannot convert `options` to that dictionary
 */
export function eligibilityOf(options: unknown): RequestEligibility {
  const isObject = typeof options === 'object' || typeof options === 'function';
  if (!isObject && options !== undefined)
    throw new TypeError('AttributionReportingRequestOptions is not an object.');
  // Web IDL converts the members in this order.
  const event = requiredBoolean(options, 'eventSourceEligible');
  const trigger = requiredBoolean(options, 'triggerEligible');
  if (event) return trigger ? 'event-source-or-trigger' : 'event-source';
  return trigger ? 'trigger' : 'empty';
}

function requiredBoolean(options: object | null | undefined, member: string): boolean {
  const value: unknown = options === null || options === undefined ? undefined : Reflect.get(options, member);
  if (value === undefined)
    throw new TypeError(`AttributionReportingRequestOptions lacks the member ${member}.`);
  return Boolean(value);
}
