import type { LogEntry } from '../../../src/model/decision';
import { type DebugCondition } from '../../../src/model/facts';
import { disclosesNothing } from '../../../formats/settings/debug-conditions';

/** What pages say in place of conditions that they hide. No entry holds it. */
interface RecordedInDebugMode {
  readonly id: 'debug-mode';
}

export type ShownCondition = DebugCondition | RecordedInDebugMode;

/**
 * How an entry differs from production, as far as a page may tell. Outside debug mode, conditions that tell what noise did are left out.
 * If no other is left, the entry still says that it was recorded in debug mode, because then it is not as in production, either.
 */
export function shownConditions({ debug }: LogEntry, truth: boolean): readonly ShownCondition[] {
  const shown = truth ? debug : debug.filter(disclosesNothing);
  return shown.length === 0 && debug.length > 0 ? [{ id: 'debug-mode' }] : shown;
}
