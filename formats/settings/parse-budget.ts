import type { BudgetSettings, JointBudget } from '../../src/model/mechanisms';
import { shareOfImpression } from '../../src/limits/privacy-budget';
import { siteOfUrl } from '../../src/model/site';
import { epsilon, probability, type Epsilon, type Site } from '../../src/model/units';
import { as, choice, integer, list, number, orNull, string, type Parser } from '../codec/codec';
import type { Place } from '../codec/issues';
import { object } from '../codec/record';

/** For numbers without a natural bound; it keeps the arithmetic fast. */
export const MAX_NUMBER = 1e9;

export const positive: Parser<number> = (place) => {
  const { value } = place;
  if (typeof value === 'number' && value > 0 && value <= MAX_NUMBER) return value;
  place.expected('positive-number', { max: MAX_NUMBER });
  return 1;
};

export const site: Parser<Site> = (place) => {
  const found = siteOfUrl(string(place));
  if (found === null) place.expected('site');
  return found ?? ('' as Site);
};

const positiveEpsilon = as(epsilon, positive);

const joint: Parser<JointBudget> = object((fields) => {
  const whole = fields.required('epsilon', positiveEpsilon, epsilon(MAX_NUMBER));
  const quota: Parser<Epsilon> = (place) => {
    const found = positiveEpsilon(place);
    if (found > whole) place.expected('positive-number', { max: whole });
    return found;
  };
  return {
    epsilon: whole,
    reportingSite: fields.required('reportingSite', quota, whole),
    sourceSite: fields.required('sourceSite', quota, whole),
    destination: fields.required('destination', quota, whole),
  };
});

/** Enough for a trial. Each registration looks through them. */
const MOST_OWNERS = 100;

const owners: Parser<BudgetSettings['owners']> = (place) => {
  const parsed = list(list(site, { max: MOST_OWNERS }), { max: MOST_OWNERS })(place);
  const all = new Set<Site>();
  const repeated = parsed.flat().find((one) => all.size === all.add(one).size);
  if (repeated !== undefined) place.error('site-of-two-owners', { site: repeated });
  return parsed;
};

const budgetFields = (current: BudgetSettings): Parser<BudgetSettings> =>
  object((fields) => ({
    unit: fields.optional(
      'unit',
      choice('impression', 'user-publisher', 'user-advertiser', 'user'),
      current.unit,
    ),
    period: fields.optional('period', integer(1, 365), current.period),
    epsilon: fields.optional('epsilon', orNull(positiveEpsilon), current.epsilon),
    delta: fields.optional('delta', as(probability, number(0, 0.1)), current.delta),
    attributionEpsilon: fields.optional(
      'attributionEpsilon',
      as(epsilon, number(0, MAX_NUMBER)),
      current.attributionEpsilon,
    ),
    cap: fields.optional('cap', orNull(integer(1, 1_000_000)), current.cap),
    joint: fields.optional('joint', orNull(joint), current.joint),
    owners: fields.optional('owners', owners, current.owners),
  }));

export const budget =
  (current: BudgetSettings): Parser<BudgetSettings> =>
  (place) => {
    const parsed = place.attempt(budgetFields(current));
    if (parsed === null) return current;
    checkBudget(parsed, place);
    return parsed;
  };

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

/** Otherwise no impression would ever count. */
function checkQuotas(parsed: BudgetSettings, place: Place): void {
  const share = shareOfImpression(parsed) ?? 0;
  const quotas: readonly (readonly [string, Epsilon])[] = Object.entries(parsed.joint ?? {});
  const quota = quotas.find(([, one]) => one < share);
  if (quota !== undefined)
    place.at('joint', null).at(quota[0], null).error('joint-below-share', { share, was: quota[1] });
}
