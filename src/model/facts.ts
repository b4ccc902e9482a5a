import type { Disclosure } from './checks';
import { effectiveDebug, type Settings } from './settings';
import type { Spend } from './spend';

/** A difference from production when a registration was processed. */
export type DebugCondition =
  | {
      readonly id:
        | 'noise-off'
        | 'delay-off'
        | 'noise-seeded'
        | 'clock-stopped'
        | 'state-forced'
        | 'null-reports-forced'
        | 'limits-changed';
    }
  /** Milliseconds by which Cointoss's clock was ahead of the device's. */
  | { readonly id: 'clock-moved'; readonly by: number };

const conditionDisclosures: Readonly<Record<DebugCondition['id'], Disclosure>> = {
  'noise-off': 'truth',
  'delay-off': 'nothing',
  'noise-seeded': 'nothing',
  'clock-stopped': 'nothing',
  'clock-moved': 'nothing',
  'state-forced': 'truth',
  'null-reports-forced': 'truth',
  'limits-changed': 'nothing',
};

/** Whether a condition may be told outside debug mode. */
export const disclosesNothing = ({ id }: DebugCondition): boolean => conditionDisclosures[id] === 'nothing';

/** Which limit of a unit's budget an impression exceeds. */
export type BudgetRefusal = Pick<Spend, 'unit' | 'of'> &
  Partial<Pick<Spend, 'reportingSite'>> &
  (
    | { readonly id: 'impressions'; readonly cap: number }
    | { readonly id: 'epsilon'; readonly epsilon: number }
    /** `cap` of `from` impressions were drawn; this was not one of them. */
    | { readonly id: 'not-drawn'; readonly cap: number; readonly from: number }
  );

export function debugConditions(
  settings: Settings,
  clock: { readonly frozen: boolean; readonly ahead: number },
): readonly DebugCondition[] {
  const { noise, delay, seed } = effectiveDebug(settings);
  const conditions: DebugCondition[] = [];
  if (!noise) conditions.push({ id: 'noise-off' });
  if (!delay) conditions.push({ id: 'delay-off' });
  if (seed !== null) conditions.push({ id: 'noise-seeded' });
  if (clock.frozen) conditions.push({ id: 'clock-stopped' });
  else if (clock.ahead !== 0) conditions.push({ id: 'clock-moved', by: clock.ahead });
  return conditions;
}
