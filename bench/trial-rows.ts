import type { LevelSums } from './trial-settings';
import { outcomeOf, type Outcome } from './trial-outcome';

/** What all runs of a setting so far add up to, for one level of groups and one quantity. */
export interface Line extends LevelSums {
  readonly setting: string;
  readonly level: string;
  /** Of the first runs alone, as `marksOf` gives it: other numbers show that the estimates have changed. */
  readonly first: readonly number[];
}

const COLUMNS = [
  'Setting',
  'Runs',
  'Unbiased: contain the truth',
  'RMSE',
  'Likelihood: contain the truth',
  'RMSE',
  'Shown: RMSE',
];

/** The table of docs/trial-settings.md in Markdown, which `npx oxfmt` aligns. */
export const tableOf = (lines: readonly Line[]): readonly string[] =>
  [COLUMNS, COLUMNS.map(() => '---'), ...lines.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`);

function cellsOf(line: Line): readonly string[] {
  const unbiased = outcomeOf(line.unbiased);
  const likeliest = outcomeOf(line.likeliest);
  const all = unbiased.count;
  return [
    titleOf(line),
    String(line.unbiased.runs),
    coverage(unbiased, all),
    rmse(unbiased),
    ...(likeliest.count === 0 ? ['', ''] : [coverage(likeliest, all), rmse(likeliest)]),
    likeliest.count === all || line.shown.count === 0 ? '' : rmse(outcomeOf(line.shown)),
  ];
}

/** Settings of the table in docs/estimates.md, in its order. */
const LOSSES = [
  'views, ε = 1, 5 % lost, not said',
  'views, ε = 1, 5 % lost, given',
  'views, ε = 1, 5 % lost, 500 heartbeats',
  'clicks, ε = 8, 5 % lost, not said',
  'clicks, ε = 8, 5 % lost, given',
];

const LOSS_COLUMNS = ['Setting', 'Intervals that contain the truth', 'Mean error'];

/** The table of lost reports in docs/estimates.md. */
export const lossesTableOf = (lines: readonly Line[]): readonly string[] =>
  [
    LOSS_COLUMNS,
    LOSS_COLUMNS.map(() => '---'),
    ...LOSSES.flatMap((name) =>
      lines.filter(({ setting, level }) => setting === name && level.endsWith(', conversions')),
    ).map((line) => {
      const outcome = outcomeOf(line.unbiased);
      return [titleOf(line), coverage(outcome, outcome.count), bias(outcome)];
    }),
  ].map((cells) => `| ${cells.join(' | ')} |`);

const QUANTITIES: Readonly<Record<string, string>> = {
  'conversion-rate': 'share that converts',
  'trigger-data': 'by trigger data',
  window: 'by window',
};

/** A setting's name draws its seeds. So it stays as it is, and only the table has the words of the docs. */
function titleOf({ setting, level, unbiased }: Line): string {
  const name = setting.replace(/^views/, 'impressions').replace('not said', 'not given');
  const [groups = '', quantity = ''] = level.split(', ');
  const parts = [
    groups === 'all' || groups === 'level 0'
      ? ''
      : groups.replace(
          /^level \d+$/,
          quantity === 'conversions' ? `the ${unbiased.count / unbiased.runs} groups` : 'the groups',
        ),
    quantity === 'conversions' ? '' : (QUANTITIES[quantity] ?? quantity),
  ].filter((part) => part !== '');
  return [name, ...parts].join(': ');
}

/** @param all the number of estimates, which the cell has if only some have an interval. */
function coverage({ shown, coverage: { value, uncertain } }: Outcome, all: number): string {
  if (shown === 0) return 'no interval';
  const error = uncertain > 0 ? ` ± ${(100 * uncertain).toFixed(1)}` : '';
  const share = value === 1 ? '100' : (100 * value).toFixed(1);
  return `${share}${error} %${shown === all ? '' : ` (${shown} of ${all})`}`;
}

/** With the minus sign of docs. */
function bias({ bias, error, count }: Outcome): string {
  const uncertain = Math.sqrt((error ** 2 - bias ** 2) / count);
  const value = Math.abs(bias).toLocaleString('en', {
    maximumSignificantDigits: bias > -1 && bias < 1 ? 1 : 3,
  });
  return `${bias < 0 ? '−' : ''}${value} ± ${uncertain.toLocaleString('en', { maximumSignificantDigits: 1 })}`;
}

/** The error is left out if all estimates are equally wrong. */
function rmse({ error, errorUncertain }: Outcome): string {
  const value = error.toLocaleString('en', { maximumSignificantDigits: 3 });
  if (!(errorUncertain > 1e-6 * error)) return value;
  const digits = errorUncertain < 1 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 0 };
  return `${value} ± ${errorUncertain.toLocaleString('en', digits)}`;
}
