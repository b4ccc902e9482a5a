import type { PrivacyUnit } from '../../../src/model/mechanisms';
import { first, type Relation, type Setup } from '../relation';
import { bought, shown, type Happening, type World } from '../world';
import { movedBy, ofCredit } from './click-moved';

/** What attribution has asked of a unit must count for its next conversion, whatever happened between. */
const creditsAfter = (
  id: string,
  differs: string,
  rest: (setup: Setup, moved: number) => World,
  before: (setup: Setup) => readonly Happening[] = () => [],
): Relation => ({
  id,
  differs,
  onRequest: true,
  ...ofCredit(
    (setup) => {
      const by = movedBy(setup.settings);
      const world = (moved: number): World => [
        ...before(setup),
        ...clicks(first.at, 1, by, moved),
        bought(first.at + 4 * by, 'shop'),
        ...rest(setup, moved),
      ];
      return [world(0), world(by)];
    },
    ({ choice, settings: { budget } }) =>
      Math.min(2 * choice, budget.epsilon === null ? Infinity : budget.attributionEpsilon),
  ),
});

/** The first moves nearer to the conversion. */
const clicks = (at: number, id: number, by: number, moved: number): World => [
  shown(at + moved, id, 'news', 'shop'),
  shown(at + 3 * by, id + 1, 'blog', 'shop'),
];

const otherUnit = ({ settings: { budget } }: Setup): PrivacyUnit =>
  budget.unit === 'impression' ? 'user-publisher' : 'impression';

export const creditsAfterwards: readonly Relation[] = [
  creditsAfter(
    'credits-in-two-periods',
    'the time of one impression before conversions in two periods',
    ({ settings: { budget } }) => [bought(24 * budget.period + 8, 'shop')],
  ),
  creditsAfter(
    'credits-after-new-period',
    'the time of one impression before two conversions, between which the period was changed',
    () => [{ kind: 'change', at: 20, budget: { period: 1 } }, bought(21, 'shop')],
  ),
  creditsAfter(
    'credits-after-new-unit',
    'the time of one impression before two conversions, the first under a budget of other units',
    ({ settings: { budget } }) => [
      { kind: 'change', at: 20, budget: { unit: budget.unit } },
      bought(21, 'shop'),
    ],
    (setup) => [{ kind: 'change', at: 0.5, budget: { unit: otherUnit(setup) } }],
  ),
  creditsAfter(
    'credits-after-erasing',
    'the times of two impressions of one page before a conversion each, between which everything was erased',
    ({ settings }, moved) => {
      const by = movedBy(settings);
      // Once the first two have reported.
      return [{ kind: 'erase', at: 60 }, ...clicks(61, 3, by, moved), bought(61 + 4 * by, 'shop')];
    },
  ),
];
