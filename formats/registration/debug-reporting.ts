import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import type { Limits } from '../../src/model/limits';
import type { AggregatableSource, DebugContribution, DebugReporting } from '../../src/model/registration';
import { integer, list, string, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import { originOfUrl } from '../../src/model/origin';

const FIELD = 'aggregatable_debug_reporting';
const UNSPECIFIED = 'unspecified';

/** ARA, "source debug data type" and "trigger debug data type". */
const debugDataTypes: Readonly<Record<'source' | 'trigger', readonly string[]>> = {
  source: [
    'source-channel-capacity-limit',
    'source-destination-global-rate-limit',
    'source-destination-limit',
    'source-destination-limit-replaced',
    'source-destination-per-day-rate-limit',
    'source-destination-rate-limit',
    'source-max-event-states-limit',
    'source-noised',
    'source-reporting-origin-limit',
    'source-reporting-origin-per-site-limit',
    'source-scopes-channel-capacity-limit',
    'source-storage-limit',
    'source-success',
    'source-trigger-state-cardinality-limit',
    'source-unknown-error',
  ],
  trigger: [
    'trigger-aggregate-attributions-per-source-destination-limit',
    'trigger-aggregate-deduplicated',
    'trigger-aggregate-excessive-reports',
    'trigger-aggregate-insufficient-budget',
    'trigger-aggregate-insufficient-named-budget',
    'trigger-aggregate-no-contributions',
    'trigger-aggregate-report-window-passed',
    'trigger-aggregate-storage-limit',
    'trigger-event-attributions-per-source-destination-limit',
    'trigger-event-deduplicated',
    'trigger-event-excessive-reports',
    'trigger-event-low-priority',
    'trigger-event-no-matching-configurations',
    'trigger-event-no-matching-trigger-data',
    'trigger-event-noise',
    'trigger-event-report-window-not-started',
    'trigger-event-report-window-passed',
    'trigger-event-storage-limit',
    'trigger-no-matching-filter-data',
    'trigger-no-matching-source',
    'trigger-reporting-origin-limit',
    'trigger-unknown-error',
  ],
};

/** The field `aggregatable_debug_reporting`, as received and as parsed. */
export function debugReportingIn(
  fields: Fields,
  registers: 'source' | 'trigger',
  limits: Limits,
): Pick<AggregatableSource, 'debugReporting' | 'debug'> {
  if (!fields.has(FIELD)) return { debugReporting: {} };
  const debug = fields.optional<DebugReporting | null>(FIELD, debugReporting(registers, limits), null);
  return { debugReporting: fields.verbatim([FIELD]), ...(debug === null ? {} : { debug }) };
}

/** ARA, "parse an aggregatable debug reporting config". Mistakes in it are warnings, and only a source's budget remains. */
const debugReporting =
  (registers: 'source' | 'trigger', limits: Limits): Parser<DebugReporting> =>
  (place) => {
    let budget = 0;
    const config = place.lenient<DebugReporting | null>((at) => {
      const fields = new Fields(at);
      if (registers === 'source')
        budget = at.attempt(() => fields.required('budget', integer(1, CONTRIBUTION_BUDGET), 0)) ?? 0;
      const most = budget === 0 ? CONTRIBUTION_BUDGET : budget;
      const read = {
        budget,
        keyPiece: fields.required('key_piece', keyPiece, 0n),
        data: fields.optional('debug_data', debugData(debugDataTypes[registers], most), new Map()),
        coordinatorOrigin: fields.optional('aggregation_coordinator_origin', coordinator(limits), null),
      };
      fields.warnUnknown();
      return read;
    }, null);
    return config ?? { budget, keyPiece: 0n, data: new Map(), coordinatorOrigin: null };
  };

/** ARA, "parse aggregatable debug reporting data". */
const debugData =
  (supported: readonly string[], most: number): Parser<DebugReporting['data']> =>
  (place) => {
    const listed = new Map<string, DebugContribution>();
    list((at) => {
      const fields = new Fields(at);
      const contribution = {
        keyPiece: fields.required('key_piece', keyPiece, 0n),
        value: fields.required('value', integer(1, most), 1),
      };
      const add: Parser<void> = (type) => {
        const name = string(type);
        if (listed.has(name)) type.error('repeated-item', { item: name });
        if (name !== UNSPECIFIED && !supported.includes(name)) type.warn('unknown-debug-data');
        listed.set(name, contribution);
      };
      fields.required('types', list(add, { min: 1 }), []);
      fields.warnUnknown();
    })(place);
    return new Map(
      supported.flatMap((type) => {
        const contribution = listed.get(type) ?? listed.get(UNSPECIFIED);
        return contribution === undefined ? [] : [[type, contribution] as const];
      }),
    );
  };

/** ARA, "parse an aggregation key piece". */
export const keyPiece: Parser<bigint> = (place) => {
  if (typeof place.value === 'string' && /^0[xX][0-9a-fA-F]{1,32}$/.test(place.value))
    return BigInt(place.value.toLowerCase());
  place.expected('key-piece');
  return 0n;
};

export const coordinator =
  ({ aggregationCoordinatorOrigins }: Limits): Parser<string | null> =>
  (place) => {
    const origin = typeof place.value === 'string' ? originOfUrl(place.value) : null;
    if (origin === null || !aggregationCoordinatorOrigins.includes(origin)) {
      place.expected('one-of', { values: aggregationCoordinatorOrigins.join(', ') });
    }
    return origin;
  };
