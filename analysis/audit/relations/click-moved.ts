import { deltaOfPart } from '../../../src/limits/privacy-budget';
import type { MeasurementSettings, TimeUnit } from '../../../src/model/mechanisms';
import { first, type Neighbours, type Relation, type Setup } from '../relation';
import { bought, shown, type World } from '../world';

export const clickMoved: Relation = {
  id: 'click-moved',
  differs: 'the time of one impression',
  // A report says when it is due, which is when its source was registered and the window.
  neighbours: (setup) => ({ worlds: past(setup), promise: null }),
};

/** An impression moves up to another one, after which it is then registered. */
function past({ settings }: Setup): Neighbours['worlds'] {
  const by = movedBy(settings);
  const passed = shown(first.at + by, 2, 'blog', 'shop');
  return [
    [first, passed, bought(5, 'shop')],
    [passed, { ...first, at: first.at + by }, bought(5, 'shop')],
  ];
}

const HOURS = { seconds: 1 / 3600, minutes: 1 / 60, hours: 1, days: 24 } as const satisfies Record<
  TimeUnit,
  number
>;

/** Up to two hours, but no more than τ. */
export function movedBy({ attribution }: MeasurementSettings): number {
  const isPrivate = attribution.kind === 'exponential' || attribution.kind === 'permute-and-flip';
  return isPrivate ? Math.min(attribution.tau * HOURS[attribution.unit], 2) : 2;
}

/** An impression that is unlikely to get the credit moves nearer to a later one. Its order stays, by which K counts. */
function nearer({ settings }: Setup, conversions: number): Neighbours['worlds'] {
  const by = movedBy(settings);
  const other = shown(first.at + 3 * by, 2, 'blog', 'shop');
  const rest = [
    other,
    ...Array.from({ length: conversions }, (_, index) => bought(other.at + 1 + index, 'shop')),
  ];
  return [
    [first, ...rest],
    [{ ...first, at: first.at + by }, ...rest],
  ];
}

export const ofCredit = (
  worlds: (setup: Setup) => Neighbours['worlds'],
  promise: (setup: Setup & { readonly choice: number }) => number,
): Pick<Relation, 'observers' | 'neighbours'> => ({
  observers: ['untimed'],
  neighbours: (setup) => {
    const { settings, choice, labels } = setup;
    if (choice === null) return null;
    const { unit, attributionEpsilon } = settings.budget;
    const lost = unit === 'user' ? labels(2) : promise({ ...setup, choice });
    return {
      worlds: worlds(setup),
      promise: lost,
      delta: lost === attributionEpsilon ? deltaOfPart(settings.budget) : 0,
    };
  },
});

export const credits: readonly Relation[] = [
  {
    id: 'credit-of-moved-click',
    differs: 'the time of one impression before a conversion',
    ...ofCredit(
      (setup) => nearer(setup, 1),
      ({ choice }) => choice,
    ),
  },
  /** Of one person's impressions, the order decides which are among the first K. */
  {
    id: 'credit-of-passed-click',
    differs: 'which of two impressions was first',
    ...ofCredit(past, ({ choice, settings: { budget } }) =>
      budget.unit === 'user-advertiser' && budget.cap === 1 ? Infinity : choice,
    ),
  },
  {
    id: 'credits-of-moved-click',
    differs: 'the time of one impression before two conversions',
    ...ofCredit(
      (setup) => nearer(setup, 2),
      ({ choice, settings: { budget } }) =>
        Math.min(2 * choice, budget.epsilon === null ? Infinity : budget.attributionEpsilon),
    ),
  },
  /** Both are of one unit where units are persons on a page. The one that is unlikely to get the credit moves nearer, the likely one away. */
  {
    id: 'credits-of-moved-clicks',
    differs: 'the times of two impressions of one page before two conversions',
    onRequest: true,
    ...ofCredit(
      ({ settings }) => {
        const by = movedBy(settings);
        const world = (moved: number): World => [
          shown(first.at, 3, 'blog', 'shop'),
          { ...first, at: first.at + by + moved },
          shown(first.at + 4 * by - moved, 2, 'news', 'shop'),
          bought(first.at + 5 * by, 'shop'),
          bought(first.at + 5 * by + 1, 'shop'),
        ];
        return [world(0), world(by)];
      },
      ({ choice, settings: { budget } }) =>
        Math.min(4 * choice, budget.epsilon === null ? Infinity : budget.attributionEpsilon),
    ),
  },
];
