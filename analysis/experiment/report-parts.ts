import { decimalsOf } from '../estimate/result/decimals';
import type { Json } from '../../src/model/json';
import { escaped, figureSvg, type FigureLine, type FigureScale } from '../report/figure-svg';
import { fixed, type MeanWithError } from '../report/mean-with-error';
import { MOST_LINES } from '../report/figure-style';
import { lineKey, tableHtml } from '../report/page';
import { textOf } from './cell-text';
import type { Experiment } from './experiment';
import type { Axis } from './grid';
import type { Row } from './summary';

export const isVaried = ({ values }: Axis): boolean => values.length > 1;

/** The names of what varies, as headings. */
export const variedNames = ({ grid }: Experiment): readonly string[] =>
  grid.filter(isVaried).map(({ name }) => axisName(name));

/** The x axis is the first axis of the grid with two numbers; the others make the lines. */
export function figure(
  { grid }: Experiment,
  { title, y, scale }: { readonly title: string; readonly y: string; readonly scale: FigureScale },
  rows: readonly Row[],
): string {
  const isNumeric = grid.map(({ values }) => values.length > 1 && values.every((v) => typeof v === 'number'));
  const across = Math.max(isNumeric.indexOf(true), 0);
  const lines = new Map<string, FigureLine['points'][number][]>();
  for (const { values, value } of rows) {
    const name = grid
      .flatMap((axis, index) =>
        index === across || axis.values.length < 2 ? [] : [textOf(values[index] ?? null)],
      )
      .join(', ');
    const x = values[across] ?? null;
    const points = lines.get(name) ?? [];
    lines.set(name, points);
    points.push({ x: typeof x === 'number' ? x : textOf(x), y: value });
  }
  const shownLines = [...lines].slice(0, MOST_LINES).map(([name, points]) => ({ name, points }));
  const hidden = lines.size - shownLines.length;
  return `<div>
<h3>${escaped(title)}</h3>
<ul class="legend">${shownLines.map(({ name }, index) => (name === '' ? '' : `<li>${lineKey(index, name)}</li>`)).join('')}${hidden > 0 ? `<li>and ${hidden} more in the table</li>` : ''}</ul>
${figureSvg({ title, x: axisName(grid[across]?.name ?? ''), y }, shownLines, scale)}
</div>`;
}

/** A table with a row for each cell and a column for each thing. */
export function crossSection(
  experiment: Experiment,
  title: string,
  fact: string,
  rows: readonly Row[],
  columnOf: (row: Row) => string,
): string {
  const columns = [...new Set(rows.map(columnOf))];
  const cells = [...new Set(rows.map(({ cell }) => cell))];
  if (columns.length === 0) return '';
  return `<section>
<h2>${escaped(title)}</h2>
<p>${escaped(fact)}</p>
<div class="wide">${tableHtml(
    [...variedNames(experiment), ...columns],
    cells.map((cell) =>
      rowHtml([
        ...valuesOf(experiment, rows, cell).map((value) => escaped(textOf(value))),
        ...columns.map((column) =>
          shown(rows.find((row) => row.cell === cell && columnOf(row) === column)?.value),
        ),
      ]),
    ),
  )}</div>
</section>`;
}

/** Without the section, which is the same for most. */
export const axisName = (name: string): string => name.replace(/^(settings|source)\./, '');

export const rowHtml = (cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

/** The values that a cell has for what varies. */
export const valuesOf = ({ grid }: Experiment, rows: readonly Row[], cell: number): readonly Json[] =>
  (rows.find((row) => row.cell === cell)?.values ?? []).filter((_, index) =>
    grid.slice(index, index + 1).some(isVaried),
  );

/** What doubles leave of sums that should be 0 or agree. */
const ROUNDING = 1e-9;

export function shown(value: MeanWithError | undefined): string {
  if (value === undefined) return '–';
  const { error } = value;
  const hasError = Number.isFinite(error) && error > ROUNDING * Math.max(1, Math.abs(value.mean));
  const mean = Math.abs(value.mean) > ROUNDING ? value.mean : 0;
  const least = Math.abs(mean) >= 100 ? 0 : Math.abs(mean) >= 1 ? 1 : 2;
  const digits = Math.max(least, decimalsOf(hasError ? error : mean, [], 1));
  return hasError
    ? `${mean.toFixed(digits)} ± ${error.toFixed(error >= 10 ? 0 : Math.max(digits, 1))}`
    : fixed(mean, digits);
}

/** The chance that runs agree although the share is beyond the bound that is shown. */
const BY_CHANCE = 0.05;

/**
 * A share of groups, in percent. If all runs say 0 or 100, their spread says nothing of the error, so the share gets the bound beyond which as many
 * runs rarely agree (Clopper & Pearson 1934). The groups of a run share its noise, so it counts once.
 */
export function shownShare(value: MeanWithError | undefined, runs: number): string {
  const isAgreed = value?.error === 0 && (value.mean === 0 || value.mean === 100);
  if (!isAgreed) return shown(value);
  const least = 100 * BY_CHANCE ** (1 / runs);
  const bound =
    value.mean === 100 ? `≥ ${fixed(Math.floor(least), 0)}` : `≤ ${fixed(Math.ceil(100 - least), 0)}`;
  return `${shown(value)} (${bound})`;
}
