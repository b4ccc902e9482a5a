import type { Disclosure } from './checks';
import { effectiveDebug, type Settings } from './settings';
import type { Spend } from './spend';

/** What an older version wrote in words. */
export interface AsRecorded {
  readonly id: 'as-recorded';
  readonly text: string;
}

/** What was not as in production when a registration was processed. */
export type DebugCondition =
  | {
      readonly id:
        'noise-off' | 'delay-off' | 'noise-seeded' | 'clock-stopped' | 'state-forced' | 'limits-changed';
    }
  /** Cointoss's clock was so many milliseconds ahead of the device's. */
  | { readonly id: 'clock-moved'; readonly by: number }
  | AsRecorded;

export const conditionDisclosures: Readonly<Record<DebugCondition['id'], Disclosure>> = {
  'noise-off': 'truth',
  'delay-off': 'nothing',
  'noise-seeded': 'nothing',
  'clock-stopped': 'nothing',
  'clock-moved': 'nothing',
  'state-forced': 'truth',
  'limits-changed': 'nothing',
  'as-recorded': 'truth',
};

/** Which limit of a privacy unit's budget an impression met. */
export type BudgetRefusal =
  | (Pick<Spend, 'unit' | 'of'> &
      (
        | { readonly id: 'impressions'; readonly cap: number }
        | { readonly id: 'epsilon'; readonly epsilon: number }
        /** `cap` impressions were drawn from so many; this was none of them. */
        | { readonly id: 'not-drawn'; readonly cap: number; readonly from: number }
      ))
  | AsRecorded;

/** What the switches of debug mode and the clock change. */
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
