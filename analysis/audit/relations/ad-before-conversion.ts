import { first, type Relation } from '../relation';
import { bought, originOf, shown, type Conversion, type Happening, type World } from '../world';

/** Debug data for all types. */
const debugData = {
  key_piece: '0x1',
  debug_data: [{ types: ['unspecified'], key_piece: '0x2', value: 8 }],
};

const adWithDebugData = {
  ...first,
  fields: { aggregatable_debug_reporting: { ...debugData, budget: 1024 } },
};

function expiringBefore(
  at: number,
  between: readonly Happening[],
  more: Partial<Conversion>,
): readonly [World, World] {
  const fields = { ...more.fields, aggregatable_debug_reporting: debugData };
  const rest = [...between, bought(at, 'shop', { ...more, fields })];
  const expired = { ...adWithDebugData, fields: { ...adWithDebugData.fields, expiry: 86_400 } };
  return [
    [expired, ...rest],
    [adWithDebugData, ...rest],
  ];
}

const isNothing = (output: string): boolean => output === '';

const adOfDay2 = shown(2 * 24 + 1, 1, 'news', 'shop');
const boughtOnDay3 = bought(3 * 24 + 5, 'shop', {
  fields: { aggregatable_source_registration_time: 'include' },
});
/** How a report names the day of this ad, in seconds. */
const DAY_2 = JSON.stringify(`"source_registration_time":"${2 * 86_400}"`).slice(1, -1);

export const adsBeforeConversions: readonly Relation[] = [
  {
    id: 'ad-before-conversion',
    differs: 'whether a conversion followed an ad',
    observers: ['aggregatable'],
    neighbours: ({ settings }) =>
      settings.aggregatableReports
        ? { worlds: [[bought(5, 'shop')], [first, bought(5, 'shop')]], promise: null }
        : null,
  },
  /** Null reports are made for one in 20 conversions without an ad, so a report is at most 20 times as probable after one. */
  {
    id: 'ad-before-reported-conversion',
    differs:
      'whether a conversion for which a report comes (without its source’s registration time) followed an ad',
    observers: ['aggregatable'],
    onRequest: true,
    neighbours: ({ settings }) =>
      settings.aggregatableReports
        ? {
            worlds: [[bought(5, 'shop')], [first, bought(5, 'shop')]],
            promise: Math.log(20),
            besides: isNothing,
          }
        : null,
  },
  /** For each day without an ad, one conversion in 125 makes a null report that names it. */
  {
    id: 'ad-before-report-of-its-day',
    differs: 'whether a conversion for which a report comes that names the day of an ad followed this ad',
    observers: ['aggregatable'],
    onRequest: true,
    neighbours: ({ settings }) =>
      settings.aggregatableReports
        ? {
            worlds: [[boughtOnDay3], [adOfDay2, boughtOnDay3]],
            promise: Math.log(125),
            besides: (output) => !output.includes(DAY_2),
          }
        : null,
  },
  {
    id: 'ad-before-conversion-with-context',
    differs: 'whether a conversion with a context id followed an ad',
    observers: ['aggregatable'],
    neighbours: ({ settings }) => {
      if (!settings.aggregatableReports) return null;
      const conversion = bought(5, 'shop', { contextId: 'order' });
      return { worlds: [[conversion], [first, conversion]], promise: 0 };
    },
  },
  /** Registrations that ask for aggregatable debug reports make one each, whatever it would say. */
  {
    id: 'ad-before-conversion-with-debug-data',
    differs:
      'whether a conversion with a context id came before an ad expired, both with aggregatable debug reports',
    observers: ['aggregatable'],
    neighbours: ({ settings }) =>
      settings.aggregatableReports
        ? { worlds: expiringBefore(40, [], { contextId: 'order' }), promise: 0 }
        : null,
  },
  /** It goes to the new collector, whose reports then say nothing of the ad. */
  {
    id: 'ad-before-conversion-with-debug-data-later',
    differs:
      'whether a conversion came before an ad expired, both with aggregatable debug reports, after the recipient of reports was changed',
    observers: ['aggregatable'],
    neighbours: ({ settings }) => {
      const change = { kind: 'change', at: 30, recipient: originOf('new-collector') } as const;
      const worlds = expiringBefore(40, [change], {
        fields: { aggregatable_trigger_data: [], aggregatable_values: {} },
      });
      return settings.aggregatableReports ? { worlds, promise: 0 } : null;
    },
  },
];
