import fc from 'fast-check';
import { CONTRIBUTION_BUDGET } from '../../../src/model/aggregatable';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type {
  AggregatableKeyValue,
  AggregatableSource,
  AggregatableTrigger,
  EventTriggerData,
  FilterConfig,
  FilterMap,
  ReportWindows,
  SourceRegistration,
  TriggerRegistration,
  TriggerSpec,
} from '../../../src/model/registration';
import { days, epsilon, seconds, type Site } from '../../../src/model/units';
import { TRAPS } from './parsing';

/* Generates any valid registration without the parsers: every field anywhere in its range, including the bounds. */

const DAY = 86400;
const HOUR = 3600;
const MAX_UINT32 = 2 ** 32 - 1;

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const uint32 = fc.oneof(fc.nat(9), fc.integer({ min: 0, max: MAX_UINT32 }));
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary);

const text = (maxBytes: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: maxBytes }),
    fc
      .string({ maxLength: Math.floor(maxBytes / 2), unit: 'grapheme' })
      .filter((it) => Buffer.byteLength(it) <= maxBytes),
    fc.constantFrom(...TRAPS.filter((it) => it.length <= maxBytes)),
  );

const filterMap = (reserved: readonly string[]): fc.Arbitrary<FilterMap> =>
  fc
    .uniqueArray(
      fc.tuple(
        text(25).filter((key) => !key.startsWith('_') && !reserved.includes(key)),
        fc.uniqueArray(text(25), { maxLength: 5 }),
      ),
      { selector: ([key]) => key, maxLength: 5 },
    )
    .map((entries) => new Map(entries));

const destinations = fc
  .uniqueArray(
    fc.constantFrom(
      'https://a.example',
      'https://shop.example',
      'https://x.co.uk',
      'http://localhost',
      'https://shop.example.',
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((sites) => sites.sort() as Site[]);

/** Windows within the expiry: strictly increasing ends from an hour on, each after the start. */
const windowsWithin = (expirySeconds: number): fc.Arbitrary<ReportWindows> =>
  fc
    .record({
      start: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: expirySeconds - 1 })),
      ends: fc.uniqueArray(fc.integer({ min: HOUR, max: expirySeconds }), { minLength: 1, maxLength: 5 }),
    })
    .map(({ start, ends }) => {
      const later = ends.filter((end) => end > start).sort((a, b) => a - b);
      return { start: seconds(start), ends: (later.length > 0 ? later : [expirySeconds]).map(seconds) };
    });

const buckets = (max: number): fc.Arbitrary<readonly number[]> =>
  fc
    .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: MAX_UINT32 })), {
      minLength: Math.min(max, 1),
      maxLength: max,
    })
    .map((starts) => starts.sort((a, b) => a - b));

const counting = (max: number): readonly number[] => Array.from({ length: max }, (_, index) => index + 1);

/** Trigger data that the matching allows, cut into `parts` non-empty pieces. */
const triggerData = (modulus: boolean): fc.Arbitrary<number[]> =>
  modulus
    ? fc.nat(32).map((length) => Array.from({ length }, (_, index) => index))
    : fc.uniqueArray(uint32, { maxLength: 32 });

function specs(
  flexible: boolean,
  modulus: boolean,
  maxReports: number,
  expirySeconds: number,
): fc.Arbitrary<readonly TriggerSpec[]> {
  const windows = windowsWithin(expirySeconds);
  if (!flexible) {
    return fc.tuple(triggerData(modulus), windows).map(([data, shared]) => [
      {
        triggerData: data,
        windows: shared,
        summaryOperator: 'count',
        summaryBuckets: counting(maxReports),
      },
    ]);
  }
  const spec = fc.record({
    windows,
    summaryOperator: fc.constantFrom('count' as const, 'value_sum' as const),
    summaryBuckets: buckets(maxReports),
  });
  return fc
    .tuple(triggerData(modulus), fc.array(spec, { minLength: 1, maxLength: 4 }))
    .map(([data, parts]) => {
      const size = Math.ceil(data.length / parts.length);
      return parts
        .map((part, index) => ({ ...part, triggerData: data.slice(index * size, (index + 1) * size) }))
        .filter(({ triggerData: own }) => own.length > 0);
    });
}

const uint128 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });

const dictionary = <T>(value: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<ReadonlyMap<string, T>> =>
  fc
    .uniqueArray(fc.tuple(text(25), value), { selector: ([name]) => name, maxLength })
    .map((entries) => new Map(entries));

const debugOf = (budget: number, keyPiece: string): Pick<AggregatableSource, 'debugReporting' | 'debug'> => ({
  debugReporting: {
    aggregatable_debug_reporting: { ...(budget === 0 ? {} : { budget }), key_piece: keyPiece },
  },
  debug: { budget, keyPiece: BigInt(keyPiece), data: new Map(), coordinatorOrigin: null },
});

const aggregatableSource = (expirySeconds: number): fc.Arbitrary<AggregatableSource> =>
  fc
    .record({
      keys: dictionary(uint128, 20),
      window: fc.integer({ min: HOUR, max: expirySeconds }).map(seconds),
      namedBudgets: dictionary(fc.nat(CONTRIBUTION_BUDGET), 25),
      debugging: fc.constantFrom<Pick<AggregatableSource, 'debugReporting' | 'debug'>[]>(
        { debugReporting: {} },
        debugOf(1, '0x1'),
      ),
    })
    .map(({ debugging, ...source }) => ({ ...source, ...debugging }));

const scopes = fc
  .record({
    values: fc.uniqueArray(text(50), { minLength: 1, maxLength: 20 }),
    spare: fc.nat(100),
    maxEventStates: fc.integer({ min: 1, max: MAX_UINT32 }),
  })
  .map(({ values, spare, maxEventStates }) => ({ limit: values.length + spare, values, maxEventStates }));

export const anySourceType = fc.constantFrom<SourceType[]>('event', 'navigation');

export const anySource = (sourceType: SourceType): fc.Arbitrary<SourceRegistration> =>
  fc
    .record({
      expirySeconds:
        sourceType === 'event'
          ? fc.integer({ min: 1, max: 30 }).map((count) => count * DAY)
          : fc.integer({ min: DAY, max: 30 * DAY }),
      maxEventLevelReports: fc.nat(20),
      flexible: fc.boolean(),
      modulus: fc.boolean(),
    })
    .chain(({ expirySeconds, maxEventLevelReports, flexible, modulus }) =>
      fc.record<SourceRegistration>({
        destinations,
        sourceEventId: uint64,
        expiry: fc.constant(seconds(expirySeconds)),
        priority: int64,
        destinationLimitPriority: int64,
        filterData: filterMap(['source_type']),
        debugKey: nullable(uint64),
        debugReporting: fc.boolean(),
        maxEventLevelReports: fc.constant(maxEventLevelReports),
        triggerSpecs: specs(flexible, modulus, maxEventLevelReports, expirySeconds),
        flexible: fc.constant(flexible),
        triggerDataMatching: fc.constant(modulus ? 'modulus' : 'exact'),
        // Turns −0 into 0, as JSON does.
        eventLevelEpsilon: fc.double({ min: 0, max: 14, noNaN: true }).map((value) => epsilon(value + 0)),
        attributionScopes: nullable(scopes),
        aggregatable: aggregatableSource(expirySeconds),
      }),
    );

const filterConfig: fc.Arbitrary<FilterConfig> = fc.record({
  values: filterMap([]),
  lookbackWindow: nullable(
    fc.oneof(fc.integer({ min: 1, max: 10 * DAY }).map(seconds), fc.constant(days(3650))),
  ),
});

const filterPair = {
  filters: fc.array(filterConfig, { maxLength: 3 }),
  notFilters: fc.array(filterConfig, { maxLength: 3 }),
};

const eventTriggerData: fc.Arbitrary<EventTriggerData> = fc.record({
  triggerData: uint64,
  priority: int64,
  value: fc.integer({ min: 1, max: MAX_UINT32 }),
  deduplicationKey: nullable(uint64),
  ...filterPair,
});

const keyValue = (maxBytes: number): fc.Arbitrary<AggregatableKeyValue> =>
  fc.record({
    value: fc.integer({ min: 1, max: CONTRIBUTION_BUDGET }),
    filteringId: fc.bigInt({ min: 0n, max: 256n ** BigInt(maxBytes) - 1n }),
  });

const aggregatableTrigger: fc.Arbitrary<AggregatableTrigger> = fc
  .record({
    filteringIdMaxBytes: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 8 })),
    contextId: nullable(text(64)),
  })
  .chain(({ filteringIdMaxBytes, contextId }) =>
    fc
      .record<AggregatableTrigger>({
        triggerData: fc.array(
          fc.record({
            keyPiece: uint128,
            sourceKeys: fc.uniqueArray(text(30), { maxLength: 5 }),
            ...filterPair,
          }),
          { maxLength: 3 },
        ),
        values: fc.array(fc.record({ values: dictionary(keyValue(filteringIdMaxBytes), 5), ...filterPair }), {
          maxLength: 3,
        }),
        deduplicationKeys: fc.array(fc.record({ deduplicationKey: nullable(uint64), ...filterPair }), {
          maxLength: 3,
        }),
        namedBudgets: fc.array(fc.record({ name: nullable(text(30)), ...filterPair }), { maxLength: 3 }),
        coordinatorOrigin: nullable(fc.constantFrom(...chromiumLimits.aggregationCoordinatorOrigins)),
        sourceRegistrationTime:
          contextId !== null || filteringIdMaxBytes !== 1
            ? fc.constant('exclude')
            : fc.constantFrom('exclude', 'include'),
        contextId: fc.constant(contextId),
        filteringIdMaxBytes: fc.constant(filteringIdMaxBytes),
        debugReporting: fc.constant({}),
      })
      .chain((trigger) => fc.constantFrom(trigger, { ...trigger, ...debugOf(0, '0x1') })),
  );

export const anyTrigger: fc.Arbitrary<TriggerRegistration> = fc.record({
  eventTriggerData: fc.array(eventTriggerData, { maxLength: 4 }),
  debugKey: nullable(uint64),
  debugReporting: fc.boolean(),
  attributionScopes: fc.uniqueArray(text(60), { maxLength: 5 }),
  aggregatable: aggregatableTrigger,
  ...filterPair,
});
