import type { Settings } from '../../formats/settings/settings';
import { described, integer, type Codec } from '../../formats/codec/codec';
import { constant, record, union, withDefault } from '../../formats/codec/record';

/** Which API measures the conversions of a cell; docs/experiments.md, "Several APIs". */
export type Api =
  | { readonly kind: 'event-level' }
  | { readonly kind: 'summary'; readonly conversions: number }
  | { readonly kind: 'w3c'; readonly conversions: number };

/** More of a source would contribute nothing. */
const MOST_CONVERSIONS = 65_536;

const conversions = withDefault(
  'conversions',
  described(
    integer(1, MOST_CONVERSIONS),
    'How many conversions share the contribution budget of a source, or ε of a conversion site and epoch',
  ),
  1,
);

export const api: Codec<Api> = union<Api>({
  'event-level': record({ kind: constant('kind', 'event-level') }),
  summary: record({ kind: constant('kind', 'summary'), conversions }),
  w3c: record({ kind: constant('kind', 'w3c'), conversions }),
});

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
