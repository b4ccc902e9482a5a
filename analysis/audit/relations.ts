import { lossOfChoice } from '../../src/attribution/click-scores';
import { observerOf } from '../../src/limits/joint-budget';
import { shareOfImpression } from '../../src/limits/privacy-budget';
import type { BudgetSettings, MeasurementSettings, TimeUnit } from '../../src/model/mechanisms';
import type { Epsilon } from '../../src/model/units';
import type { PriorCost } from '../optimize/private-prior';
import { originOf, type Happening, type IsObserved, type World } from './world';

/** What differs between two worlds; everything else is the same. docs/noise.md says which of them are promised what. */
export const relationIds = [
  'label-of-impression',
  'labels-of-unit',
  'labels-before-next-impression',
  'conversion',
  'click-moved',
  'other-ad-tech-elsewhere',
  'other-ad-tech-here',
  'conversions-of-other-ad-tech',
  'labels-of-all',
  'impression',
] as const;

export type RelationId = (typeof relationIds)[number];

export interface Neighbours {
  readonly worlds: readonly [World, World];
  /** The most that the observer may learn: an ε. Null: nothing is promised. */
  readonly promise: number | null;
}

/** Who compares the worlds: one reporting site with all others of its owner, or whoever gets the reports of all reporting sites. */
export type Observer = (typeof observers)[number];

export const observers = ['reporting-site', 'everyone'] as const;

/** The ad tech whose reports one reporting site gets. */
const OBSERVER = 'adtech';

/** What an observer receives. */
export const observedBy =
  (observer: Observer, { owners }: BudgetSettings): IsObserved =>
  (adTech) =>
    observer === 'everyone' || observerOf(owners, adTech) === observerOf(owners, originOf(OBSERVER));

type Shown = Extract<Happening, { readonly kind: 'impression' }>;

const shown = (at: number, id: number, publisher: string, advertiser: string, adTech = OBSERVER): Shown => ({
  kind: 'impression',
  at,
  id,
  publisher,
  advertiser,
  adTech,
});

const bought = (at: number, advertiser: string, adTech = OBSERVER): Happening => ({
  kind: 'conversion',
  at,
  advertiser,
  adTech,
});

/** As many conversions as use up the attribution budgets of the matrix. */
const many = (at: number, advertiser: string, adTech = OBSERVER): readonly Happening[] =>
  [1, 2, 3, 4].map(() => bought(at, advertiser, adTech));

const HOURS = { seconds: 1 / 3600, minutes: 1 / 60, hours: 1, days: 24 } as const satisfies Record<
  TimeUnit,
  number
>;

const inHours = (count: number, unit: TimeUnit): number => count * HOURS[unit];

/** @param registered what each impression registers as its ε */
export function neighbours(
  relation: RelationId,
  { budget, attribution }: MeasurementSettings,
  registered: Epsilon,
  observer: Observer = 'reporting-site',
): Neighbours {
  const share = Math.min(shareOfImpression(budget) ?? registered, registered);
  const whole = budget.epsilon === null ? Infinity : budget.epsilon - budget.attributionEpsilon;
  const joint = budget.joint?.epsilon ?? Infinity;
  /** What the labels of this many impressions may lose, of one unit and reporting site, or of any. */
  const labels = (count: number): number => Math.min(whole, joint, count * share);
  const labelsOfAny = (count: number): number => Math.min(joint, count * share);
  const isObserved = observedBy(observer, budget);
  const isOneOwner = observedBy('reporting-site', budget)(originOf('other'));

  const first = shown(1, 1, 'news', 'shop');
  const bySite = shown(2, 2, 'blog', 'shop');
  // The impressions of one unit: on one site, for one advertiser, or wherever.
  const later: readonly Shown[] = {
    impression: [],
    'user-publisher': [shown(4, 2, 'news', 'mall')],
    'user-advertiser': [shown(4, 2, 'blog', 'shop')],
    user: [shown(4, 2, 'blog', 'mall')],
  }[budget.unit];
  const last = later.map(({ advertiser }) => bought(5, advertiser));
  const others = Array.from({ length: budget.cap ?? 1 }, (_, index) => index);

  switch (relation) {
    case 'label-of-impression':
      return { worlds: [[first], [first, bought(2, 'shop')]], promise: share };
    case 'labels-of-unit':
      return {
        worlds: [
          [first, ...later],
          [first, bought(2, 'shop'), ...later, ...last],
        ],
        promise: labels(1 + later.length),
      };
    case 'labels-before-next-impression':
      return {
        worlds: [
          [first, ...later, ...last],
          [first, ...many(2, 'shop'), ...later, ...last],
        ],
        promise: labels(1 + later.length),
      };
    case 'conversion':
      return {
        worlds: [
          [first, bySite],
          [first, bySite, bought(5, 'shop')],
        ],
        promise: budget.unit === 'user' ? labels(2) : budget.joint === null ? null : labelsOfAny(2),
      };
    case 'click-moved': {
      const isPrivate = attribution.kind === 'exponential' || attribution.kind === 'permute-and-flip';
      // Past the other impression, but not by more than τ.
      const moved = isPrivate ? Math.min(inHours(attribution.tau, attribution.unit), 2) : 2;
      const passed = { ...bySite, at: first.at + moved / 2 };
      return {
        worlds: [
          [first, passed, bought(5, 'shop')],
          [passed, { ...first, at: first.at + moved }, bought(5, 'shop')],
        ],
        promise: budget.unit === 'user' ? labels(2) : isPrivate ? lossOfChoice(attribution) : null,
      };
    }
    case 'other-ad-tech-elsewhere':
    case 'other-ad-tech-here': {
      const [publisher, advertiser] =
        relation === 'other-ad-tech-here' ? ['news', 'shop'] : ['elsewhere', 'unrelated'];
      const seen = others.map((index) => shown(0, 10 + index, publisher, advertiser, 'other'));
      const rest = [first, bought(2, 'shop')];
      const isApart = budget.joint === null && !isOneOwner;
      return {
        worlds: [rest, [...seen, ...rest]],
        promise: isObserved(originOf('other')) ? null : isApart ? 0 : labels(1),
      };
    }
    case 'conversions-of-other-ad-tech': {
      const seen = shown(0, 10, 'news', 'shop', 'other');
      const rest = [first, bySite, bought(5, 'shop')];
      return {
        worlds: [
          [seen, ...rest],
          [seen, ...many(0.5, 'shop', 'other'), ...rest],
        ],
        // Conversions spend nothing of what reporting sites share. Those of one owner share what attribution spends.
        promise: isOneOwner ? labelsOfAny(3) : isObserved(originOf('other')) ? labelsOfAny(1) : 0,
      };
    }
    case 'labels-of-all': {
      const adTechs = [OBSERVER, 'other', 'third'];
      const seen = adTechs.map((adTech, index) =>
        shown(1 + index, 1 + index, `news-${index}`, `shop-${index}`, adTech),
      );
      const observed = adTechs.filter((adTech) => isObserved(originOf(adTech))).length;
      const ofPerson = observer === 'reporting-site' && budget.unit === 'user' ? labels : labelsOfAny;
      return {
        worlds: [seen, [...seen, ...adTechs.map((adTech, index) => bought(5, `shop-${index}`, adTech))]],
        promise: observer === 'everyone' && budget.joint === null ? null : ofPerson(observed),
      };
    }
    case 'impression':
      return { worlds: [[], [first]], promise: null };
  }
}

/**
 * Worlds in which a source that the prior counts has another value. Where the prior has a part of the budget, it is the source that reports,
 * too.
 * @param settings beside the prior.
 */
export function pastNeighbours(
  settings: MeasurementSettings,
  registered: Epsilon,
  { epsilon, split }: PriorCost,
): Neighbours & { readonly past: readonly [number, number] } {
  const label = neighbours('label-of-impression', settings, registered);
  const [world] = label.worlds;
  return split === 'people'
    ? { worlds: [world, world], past: [0, 1], promise: epsilon }
    : { worlds: label.worlds, past: [0, 1], promise: epsilon + (label.promise ?? 0) };
}
