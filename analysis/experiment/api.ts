import type { Settings } from '../../formats/settings/settings';
import { integer, choice, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';

/** Which API measures the conversions of a cell; docs/experiments.md, "Several APIs". */
export type Api =
  | { readonly kind: 'event-level' }
  | {
      readonly kind: 'summary' | 'w3c';
      /** How many conversions share one budget: those of a source, or of a conversion site and epoch. */
      readonly conversions: number;
    };

/** More of a source would contribute nothing. */
const MOST_CONVERSIONS = 65_536;

export const api: Parser<Api> = (place) => {
  const fields = new Fields(place);
  const kind = fields.required('kind', choice('event-level', 'summary', 'w3c'), 'event-level');
  const read: Api =
    kind === 'event-level'
      ? { kind }
      : { kind, conversions: fields.optional('conversions', integer(1, MOST_CONVERSIONS), 1) };
  fields.refuseUnknown();
  return read;
};

const EPOCH_DAYS = 7;

/** Why an API cannot be compared with others under these settings; null if it can. */
export function apiProblem(
  { kind }: Api,
  { budget, attribution }: Settings,
  columns: readonly string[],
): string | null {
  if (budget.epsilon === null) return 'must have a settings.budget.epsilon';
  if (attribution.kind !== 'priority')
    return 'must have the attribution of kind priority, as W3C Attribution has';
  if (columns.length > 1) return 'must have at most one column in measure.levels, for one histogram';
  if (kind === 'w3c' && (budget.unit !== 'user-advertiser' || budget.period !== EPOCH_DAYS))
    return 'must have a settings.budget of the unit user-advertiser and a period of 7 days, as W3C Attribution has';
  return null;
}
