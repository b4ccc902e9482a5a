import type { PrivacyUnit } from '../../src/model/mechanisms';
import type { Settings } from '../../formats/settings/settings';
import { choice, described, integer, list, number, type Codec } from '../../formats/codec/codec';
import { constant, record, required, union, withDefault } from '../../formats/codec/record';
import type { SetOrder } from './attribution-sets';
import { conversionsField } from './designs/design';
import { isSummary, summaryCodecs, summaryProblem, type SummaryApi } from './designs/designs';

/** Which API measures the conversions of a cell; docs/experiments.md, "Several APIs". */
export type Api =
  | OneApi
  | {
      readonly kind: 'mixed';
      /** Shares of people, at most 1 together; nothing is measured of the others. */
      readonly browsers: readonly { readonly share: number; readonly api: OneApi }[];
    };

/** What one browser has. */
export type OneApi =
  | { readonly kind: 'event-level' }
  | SummaryApi
  | { readonly kind: 'w3c'; readonly conversions: number }
  | { readonly kind: 'attribution-sets'; readonly size: number; readonly order: SetOrder }
  | { readonly kind: 'synthetic-journeys'; readonly journeys: number };

const MOST_BROWSERS = 10;

const variants = {
  'event-level': record<Extract<OneApi, { kind: 'event-level' }>>({
    kind: constant('kind', 'event-level'),
  }),
  ...summaryCodecs,
  w3c: record<Extract<OneApi, { kind: 'w3c' }>>({
    kind: constant('kind', 'w3c'),
    conversions: conversionsField,
  }),
  'attribution-sets': record<Extract<OneApi, { kind: 'attribution-sets' }>>({
    kind: constant('kind', 'attribution-sets'),
    size: required(
      'size',
      described(integer(1, 1_000_000), 'How many sources the attribution set of a conversion names'),
    ),
    order: withDefault(
      'order',
      described(
        choice('random', 'successive'),
        'Whether the other sources are drawn at random, or follow each other in time',
      ),
      'random',
    ),
  }),
  'synthetic-journeys': record<Extract<OneApi, { kind: 'synthetic-journeys' }>>({
    kind: constant('kind', 'synthetic-journeys'),
    journeys: withDefault(
      'journeys',
      described(integer(1, 1000), 'How many journeys of a privacy unit and period count'),
      1,
    ),
  }),
};

type Browser = Extract<Api, { kind: 'mixed' }>['browsers'][number];

const browser = record<Browser>({
  share: required('share', described(number(1e-6, 1), 'Of all people')),
  api: required('api', union<OneApi>(variants)),
});

const mixed = record<Extract<Api, { kind: 'mixed' }>>({
  kind: constant('kind', 'mixed'),
  browsers: required('browsers', list(browser, { min: 1, max: MOST_BROWSERS })),
});

export const api: Codec<Api> = union<Api>({ ...variants, mixed });

const EPOCH_DAYS = 7;
const JOURNEY_UNITS: readonly PrivacyUnit[] = ['user', 'user-advertiser'];
/** Shares as people write them, such as 0.1 and 0.2 and 0.7, add up to a little more than 1. */
const ROUNDING = 1e-9;

/**
 * Why an API cannot be compared with others under these settings; null if it can.
 * @param levels how many levels are measured.
 * @param measuresValues whether values are measured, and not conversions.
 */
export function apiProblem(
  api: Api,
  settings: Settings,
  levels: number,
  measuresValues = false,
): string | null {
  const { budget, attribution } = settings;
  if (api.kind === 'mixed') {
    const whole = api.browsers.reduce((sum, { share }) => sum + share, 0);
    if (whole > 1 + ROUNDING) return `must have shares of at most 1 together in api.browsers, had ${whole}`;
    if (api.browsers.some(({ api: own }) => own.kind === 'attribution-sets' && own.order === 'successive'))
      return 'must have no successive attribution sets in api.browsers: a set needs the sources of all people';
    return (
      api.browsers
        .map((one) => apiProblem(one.api, settings, levels, measuresValues))
        .find((found) => found !== null) ?? null
    );
  }
  const problem = isSummary(api) ? summaryProblem(api, levels) : null;
  if (problem !== null) return problem;
  // Attribution sets have no ε.
  if (budget.epsilon === null && api.kind !== 'attribution-sets')
    return 'must have a settings.budget.epsilon';
  if (attribution.kind !== 'priority')
    return 'must have the attribution of kind priority, as W3C Attribution has';
  if (api.kind === 'synthetic-journeys' && !JOURNEY_UNITS.includes(budget.unit))
    return `must have a settings.budget of the unit user or user-advertiser with api "synthetic-journeys", had ${budget.unit}`;
  if (api.kind === 'synthetic-journeys' && measuresValues)
    return 'must have no measure.mostValue with api "synthetic-journeys", whose conversions have no values';
  if (api.kind === 'w3c' && (budget.unit !== 'user-advertiser' || budget.period !== EPOCH_DAYS))
    return 'must have a settings.budget of the unit user-advertiser and a period of 7 days, as W3C Attribution has';
  return null;
}
