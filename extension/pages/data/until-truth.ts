import type { Check } from '../../../src/model/checks';

/** The checks that disclose nothing: those before the first that may disclose the truth. */
export function untilTruth(checks: readonly Check[]): readonly Check[] {
  const hidden = checks.findIndex(({ discloses }) => discloses !== 'nothing');
  return hidden < 0 ? checks : checks.slice(0, hidden);
}
