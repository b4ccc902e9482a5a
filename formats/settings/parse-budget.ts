import type { BudgetSettings, JointBudget } from '../../src/model/mechanisms';
import { shareOfImpression } from '../../src/limits/privacy-budget';
import { siteOfUrl } from '../../src/model/site';
import { epsilon, probability, type Epsilon, type Site } from '../../src/model/units';
import { as, choice, codec, integer, list, number, orNull, plain, string, type Codec } from '../codec/codec';
import type { Place } from '../codec/issues';
import { checked, record, required, withDefault } from '../codec/record';

/** For numbers without a natural bound; it keeps the arithmetic fast. */
export const MAX_NUMBER = 1e9;

export const positive: Codec<number> = plain(
  (place) => {
    const { value } = place;
    if (typeof value === 'number' && value > 0 && value <= MAX_NUMBER) return value;
    place.expected('positive-number', { max: MAX_NUMBER });
    return 1;
  },
  { type: 'number', exclusiveMinimum: 0, maximum: MAX_NUMBER },
);

export const site: Codec<Site> = plain(
  (place) => {
    const found = siteOfUrl(string(place));
    if (found === null) place.expected('site');
    return found ?? ('' as Site);
  },
  { type: 'string' },
);

const positiveEpsilon = as(epsilon, positive);

const joint: Codec<JointBudget> = checked(
  record(
    {
      epsilon: required('epsilon', positiveEpsilon),
      reportingSite: required('reportingSite', positiveEpsilon),
      sourceSite: required('sourceSite', positiveEpsilon),
      destination: required('destination', positiveEpsilon),
    },
    { unknown: 'warned of' },
  ),
  ({ epsilon: whole, ...quotas }, place) => {
    for (const [name, quota] of Object.entries(quotas))
      if (quota > whole) place.at(name, quota).expected('positive-number', { max: whole });
  },
);

/** Enough for a trial. Each registration looks through them. */
const MOST_OWNERS = 100;

const sitesOfOwners = list(list(site, { max: MOST_OWNERS }), { max: MOST_OWNERS });

const owners: Codec<BudgetSettings['owners']> = codec(
  (place) => {
    const parsed = sitesOfOwners(place);
    const all = new Set<Site>();
    const repeated = parsed.flat().find((one) => all.size === all.add(one).size);
    if (repeated !== undefined) place.error('site-of-two-owners', { site: repeated });
    return parsed;
  },
  sitesOfOwners.write,
  sitesOfOwners.schema,
);

const units = choice('impression', 'user-publisher', 'user-advertiser', 'user');
const attributionPart = as(epsilon, number(0, MAX_NUMBER));

/** In days. */
export const LONGEST_PERIOD = 365;

/** Missing fields keep the value of `current`. */
export const budget = (current: BudgetSettings): Codec<BudgetSettings> =>
  checked(
    record<BudgetSettings>(
      {
        unit: withDefault('unit', units, current.unit),
        period: withDefault('period', integer(1, LONGEST_PERIOD), current.period),
        epsilon: withDefault('epsilon', orNull(positiveEpsilon), current.epsilon),
        delta: withDefault('delta', as(probability, number(0, 0.1)), current.delta),
        attributionEpsilon: withDefault('attributionEpsilon', attributionPart, current.attributionEpsilon),
        cap: withDefault('cap', orNull(integer(1, 1_000_000)), current.cap),
        joint: withDefault('joint', orNull(joint), current.joint),
        owners: withDefault('owners', owners, current.owners),
      },
      { unknown: 'warned of' },
    ),
    checkBudget,
  );

function checkBudget(parsed: BudgetSettings, place: Place): void {
  const { unit, epsilon: whole, cap, attributionEpsilon, delta } = parsed;
  if (unit === 'impression' && cap !== null) place.error('cap-of-impression');
  if (unit !== 'impression' && whole !== null && cap === null) place.error('missing-cap', { unit });
  if (attributionEpsilon > 0 && whole === null) place.error('attribution-without-epsilon');
  if (whole !== null && attributionEpsilon >= whole)
    place.error('attribution-above-epsilon', { epsilon: whole });
  else checkQuotas(parsed, place);
  if (delta > 0 && whole === null) place.error('delta-without-epsilon');
}

/** Refuses a quota that is smaller than the share of one impression, because then no impression would ever count. */
function checkQuotas(parsed: BudgetSettings, place: Place): void {
  const share = shareOfImpression(parsed) ?? 0;
  const quotas: readonly (readonly [string, Epsilon])[] = Object.entries(parsed.joint ?? {});
  const quota = quotas.find(([, one]) => one < share);
  if (quota !== undefined)
    place.at('joint', null).at(quota[0], null).error('joint-below-share', { share, was: quota[1] });
}
