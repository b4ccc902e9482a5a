import { shareOfImpression } from '../../src/limits/privacy-budget';
import type { MeasurementSettings } from '../../src/model/mechanisms';
import type { Epsilon } from '../../src/model/units';
import type { PriorCost } from '../optimize/private-prior';
import type { Happening, World } from './world';

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
  'impression',
] as const;

export type RelationId = (typeof relationIds)[number];

export interface Neighbours {
  readonly worlds: readonly [World, World];
  /** The most that the observer may learn: an ε. Null: nothing is promised. */
  readonly promise: number | null;
}

/** The ad tech whose reports are observed. */
export const OBSERVER = 'adtech';

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

/** @param registered what each impression registers as its ε */
export function neighbours(
  relation: RelationId,
  { budget }: MeasurementSettings,
  registered: Epsilon,
): Neighbours {
  const share = Math.min(shareOfImpression(budget) ?? registered, registered);
  const whole = budget.epsilon === null ? Infinity : budget.epsilon - budget.attributionEpsilon;
  /** What the labels of this many impressions of one unit may lose. */
  const labels = (count: number): number => Math.min(whole, count * share);

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
        promise: budget.unit === 'user' ? labels(2) : null,
      };
    case 'click-moved': {
      // Past the other impression.
      const passed = { ...bySite, at: first.at + 1 };
      return {
        worlds: [
          [first, passed, bought(5, 'shop')],
          [passed, { ...first, at: first.at + 2 }, bought(5, 'shop')],
        ],
        // A report says when it was to be sent, and so when its impression was registered.
        promise: null,
      };
    }
    case 'other-ad-tech-elsewhere':
    case 'other-ad-tech-here': {
      const [publisher, advertiser] =
        relation === 'other-ad-tech-here' ? ['news', 'shop'] : ['elsewhere', 'unrelated'];
      const seen = others.map((index) => shown(0, 10 + index, publisher, advertiser, 'other'));
      const rest = [first, bought(2, 'shop')];
      return { worlds: [rest, [...seen, ...rest]], promise: budget.perReportingSite ? 0 : labels(1) };
    }
    case 'conversions-of-other-ad-tech': {
      const seen = shown(0, 10, 'news', 'shop', 'other');
      const rest = [first, bySite, bought(5, 'shop')];
      return {
        worlds: [
          [seen, ...rest],
          [seen, ...many(0.5, 'shop', 'other'), ...rest],
        ],
        promise: budget.perReportingSite ? 0 : labels(2),
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
