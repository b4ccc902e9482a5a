import type { CreditRow } from '../../analysis/credits/log-credits';
import { decimalsOf } from '../../analysis/estimate/result/decimals';
import { aligned } from '../io/aligned';

/** A row for each channel and a column for each model, with totals: the channels with most credit of the first model first. */
export function creditTable(rows: readonly CreditRow[]): readonly string[] {
  const columns = new Map<string, Map<string, CreditRow>>();
  for (const row of rows) {
    const name = row.from === 'reports' ? `${row.model}, reports` : row.model;
    const column = columns.get(name) ?? new Map<string, CreditRow>();
    columns.set(name, column.set(row.channel, row));
  }
  const [first = new Map<string, CreditRow>()] = columns.values();
  const channels = [...first.values()].sort((a, b) => b.credit - a.credit).map(({ channel }) => channel);
  const cells = (of: (column: ReadonlyMap<string, CreditRow>) => string): readonly string[] =>
    [...columns.values()].map(of);
  return aligned([
    ['channel', ...columns.keys()],
    ...channels.map((channel) => [
      channel === '' ? '(none)' : channel,
      ...cells((column) => creditOf(column.get(channel))),
    ]),
    ['all', ...cells((column) => shown([...column.values()].reduce((sum, { credit }) => sum + credit, 0)))],
  ]);
}

/** With the standard error of the noise, if there is noise. */
const creditOf = (row: CreditRow | undefined): string =>
  row === undefined
    ? '–'
    : shown(row.credit) + (row.standard_error === null ? '' : ` ± ${errorOf(row.standard_error)}`);

/** With enough digits not to look as if there was no noise. */
const errorOf = (error: number): string => shown(error, Math.max(1, decimalsOf(error, [], 1)));

const shown = (credit: number, decimals = 1): string => {
  const rounded = Number(credit.toFixed(decimals));
  return String(rounded === 0 ? 0 : rounded);
};
