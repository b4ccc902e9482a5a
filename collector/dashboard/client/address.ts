/** What the dashboard shows; the page's address encodes it. */
export interface View {
  /** Days (`2026-01-31`, UTC) of registration, both inclusive; empty for no bound. */
  readonly from: string;
  readonly to: string;
  /** By property or feature: a source must have one of the values. */
  readonly is: ReadonlyMap<string, ReadonlySet<string>>;
  /** Null: the page chooses. */
  readonly group: string | null;
  readonly quantity: ShownQuantity;
  /** Whether to show estimates by maximum likelihood beside the unbiased ones. */
  readonly likelihood: boolean;
  /** Whether to include sources with an open report window. Useful with a test clock: their reports may already have arrived. */
  readonly open: boolean;
  /** Whether to show what happened beside the estimates; only a demo knows it. */
  readonly truth: boolean;
}

export type ShownQuantity = 'conversions' | 'conversion-rate';

const IS = 'is.';
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MILLISECONDS = 86_400_000;

export function viewFrom(search: string): View {
  const parameters = new URLSearchParams(search);
  const is = new Map<string, Set<string>>();
  for (const [name, value] of parameters)
    if (name.startsWith(IS))
      is.set(name.slice(IS.length), (is.get(name.slice(IS.length)) ?? new Set()).add(value));
  return {
    from: dayOf(parameters.get('from')),
    to: dayOf(parameters.get('to')),
    is,
    group: parameters.get('group'),
    quantity: parameters.get('quantity') === 'conversion-rate' ? 'conversion-rate' : 'conversions',
    likelihood: parameters.has('likelihood'),
    open: parameters.has('open'),
    truth: parameters.has('truth'),
  };
}

const dayOf = (text: string | null): string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

/** The inverse of `viewFrom`. */
export function searchOf({ from, to, is, group, quantity, likelihood, open, truth }: View): string {
  const parameters = new URLSearchParams();
  if (from !== '') parameters.set('from', from);
  if (to !== '') parameters.set('to', to);
  for (const [name, values] of is) for (const value of values) parameters.append(IS + name, value);
  if (group !== null) parameters.set('group', group);
  if (quantity !== 'conversions') parameters.set('quantity', quantity);
  if (likelihood) parameters.set('likelihood', 'true');
  if (open) parameters.set('open', 'true');
  if (truth) parameters.set('truth', 'true');
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/** The query parameters that choose the view's sources. */
export function queryOf({ from, to, is }: Pick<View, 'from' | 'to' | 'is'>): URLSearchParams {
  const query = new URLSearchParams();
  if (from !== '') query.set('from', new Date(from).toISOString());
  if (to !== '') query.set('to', new Date(Date.parse(to) + DAY_MILLISECONDS).toISOString());
  for (const [name, values] of is) for (const value of values) query.append(IS + name, value);
  return query;
}

/** A time after every report window. */
const NEVER = '9999-12-31T00:00:00Z';

export function estimatesQueryOf(view: View, group: string): URLSearchParams {
  const query = truthQueryOf(view, group);
  if (view.likelihood) query.set('likelihood', 'true');
  return query;
}

export function truthQueryOf(view: View, group: string): URLSearchParams {
  const query = queryOf(view);
  query.set('group', group);
  if (view.open) query.set('as_of', NEVER);
  return query;
}

export const isFiltered = ({ from, to, is }: View): boolean => from !== '' || to !== '' || is.size > 0;

/** The view with a value selected, or deselected if it was selected. */
export function toggled(view: View, name: string, value: string): View {
  const values = new Set(view.is.get(name) ?? []);
  if (!values.delete(value)) values.add(value);
  const is = new Map(view.is);
  if (values.size === 0) is.delete(name);
  else is.set(name, values);
  return { ...view, is };
}
