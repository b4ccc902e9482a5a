import type { Disclosure } from '../../src/model/checks';
import type { DebugCondition } from '../../src/model/facts';
import { effectiveDebug, type Settings } from './settings';

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

/** Whether a condition may be shown outside debug mode. */
export const disclosesNothing = ({ id }: DebugCondition): boolean => conditionDisclosures[id] === 'nothing';
