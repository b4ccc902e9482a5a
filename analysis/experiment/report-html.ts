import { escaped } from '../report/figure-svg';
import { pageHtml, tableHtml } from '../report/page';
import type { Experiment } from './experiment';
import { textOf } from './cell-text';
import {
  axisName,
  crossSection,
  figure,
  isVaried,
  rowHtml,
  shown,
  shownShare,
  valuesOf,
  variedNames,
} from './report-parts';
import { isOfWindow } from './result';
import { sameText, type SameResults } from './same-results';
import type { Measure, Row } from './summary';
import { taskSections } from './task-sections';

interface Ran {
  readonly users: number;
  readonly events: number;
  readonly runs: number;
}

/** The measures in figures, each with the label of its y axis. */
const FIGURES: Readonly<Partial<Record<Measure, { readonly title: string; readonly y: string }>>> = {
  relativeRmse: { title: 'Error of the estimates', y: 'RMSE, % of a mean group' },
  known: { title: 'Groups that are known', y: 'groups, %' },
  coverage: { title: 'Coverage of the intervals', y: 'intervals with the truth, %' },
  'credit-moved': { title: 'Credit moved between groups', y: 'moved, %' },
};

const words = (text: string): string => text.replaceAll('-', ' ');

/** The results of an experiment as one page that needs no other file. */
export function reportHtml(
  experiment: Experiment,
  rows: readonly Row[],
  same: readonly SameResults[],
  ran: Ran,
): string {
  const { title, repetitions, seed, measure } = experiment;
  const own = rows.filter(({ group }) => group === null);
  const levels = [
    ...new Set(
      own.filter(({ level, measure: of }) => level !== '' && of !== 'task').map(({ level }) => level),
    ),
  ];
  return pageHtml(
    title,
    [
      `${ran.users} users with ${ran.events} events; ${ran.runs} simulations, seed ${escaped(JSON.stringify(seed))}. The same file gives the same bytes.`,
      `Means over ${repetitions} repetitions. Repetition r has the same randomness in all cells. Figures show two standard errors to each side, tables ± one. If a share of groups is 0 or 100 % in all runs, the table has the bound that ${repetitions} runs give it at 95 %.`,
      ...same.map(
        (one) =>
          `<strong>No effect.</strong> ${escaped(sameText(one, (cell) => describeCell(experiment, rows, cell)))}`,
      ),
      ...sameEverywhere(experiment),
      `${truthOf(experiment)} Without noise, private attribution credits the last click.`,
      `Intervals are at ${Number((measure.confidence * 100).toPrecision(6))} %, for the noise of outputs alone: where limits or a budget lose conversions, they can miss the truth in most runs. Known is a group with an interval that contains the truth, and extends at most ${Number((measure.known * 100).toPrecision(6))} % of it to each side.`,
      'All numbers, also of each group and window, are in the table (results.csv).',
    ],
    [
      ...taskSections(experiment, own),
      ...levels.map((level) => levelSection(experiment, level, own)),
      lossSection(experiment, own),
      delaySection(experiment, own),
      spentSection(experiment, own),
    ],
  );
}

/** What all cells have in common, if anything. */
function sameEverywhere({ grid }: Experiment): readonly string[] {
  const same = grid.filter((axis) => !isVaried(axis));
  const named = same.map(({ name, values }) => `${axisName(name)} ${textOf(values[0] ?? null)}`);
  return named.length === 0 ? [] : [`In all cells: ${escaped(named.join('; '))}.`];
}

const truthOf = ({ grid }: Experiment): string =>
  grid.some(({ name }) => name === 'api')
    ? 'The truth is the same for all APIs: each conversion counts for the source with the highest priority, and the last of these, among those that match it.'
    : 'The truth is what would be reported without noise and without a privacy budget, by the same sources and conversions.';

/** A row for each cell, a column for each measure, and a figure for each of some measures. */
function levelSection(experiment: Experiment, level: string, rows: readonly Row[]): string {
  const ofLevel = rows.filter((row) => row.level === level && row.measure !== 'task');
  const quantities = [...new Set(ofLevel.map(({ quantity }) => quantity))].filter(
    (quantity) => !isOfWindow(quantity),
  );
  return quantities.map((quantity) => quantitySection(experiment, level, quantity, ofLevel)).join('\n');
}

const COLUMNS = [
  ['bias', 'bias, %'],
  ['rmse', 'RMSE'],
  ['relativeRmse', 'RMSE, %'],
  ['width', 'interval width, %'],
  ['coverage', 'coverage, %'],
  ['known', 'known, %'],
  ['credit-moved', 'credit moved, %'],
] as const satisfies readonly (readonly [Measure, string])[];

const SHARES_OF_GROUPS: readonly Measure[] = ['coverage', 'known'];

function quantitySection(
  experiment: Experiment,
  level: string,
  quantity: string,
  ofLevel: readonly Row[],
): string {
  const rows = ofLevel.filter((row) => row.quantity === quantity);
  const columns = COLUMNS.filter(([measure]) => rows.some((row) => row.measure === measure));
  const groups = rows.find(({ measure }) => measure === 'rmse')?.count ?? 1;
  const cells = [...new Set(rows.map(({ cell }) => cell))];
  const numberOf = (cell: number, measure: Measure): Row | undefined =>
    rows.find((row) => row.cell === cell && row.measure === measure);
  return `<section>
<h2>${escaped(words(quantity))}: ${escaped(level === 'all' ? 'all sources' : `by ${level}, ${groups} groups`)}</h2>
<div class="wide figures">${figuresOf(experiment, level, rows)}</div>
<div class="wide">${tableHtml(
    [...variedNames(experiment), ...columns.map(([, heading]) => heading), 'RMSE, %: to the first row'],
    cells.map((cell) =>
      rowHtml([
        ...valuesOf(experiment, rows, cell).map((value) => escaped(textOf(value))),
        ...columns.map(([measure]) => {
          const value = numberOf(cell, measure)?.value;
          return SHARES_OF_GROUPS.includes(measure)
            ? shownShare(value, experiment.repetitions)
            : shown(value);
        }),
        shown(numberOf(cell, 'relativeRmse')?.difference ?? undefined),
      ]),
    ),
  )}</div>
</section>`;
}

const figuresOf = (experiment: Experiment, level: string, rows: readonly Row[]): string =>
  Object.entries(FIGURES)
    .map(([measure, { title, y }]) => {
      const ofMeasure = rows.filter((row) => row.measure === measure);
      const isEmpty = ofMeasure.length === 0 || (measure === 'known' && level === 'all');
      if (isEmpty || experiment.grid.length === 0) return '';
      const scale = measure === 'relativeRmse' ? { isLogarithmic: true } : { least: 0, most: 100 };
      return figure(experiment, { title, y, scale }, ofMeasure);
    })
    .join('\n');

function lossSection(experiment: Experiment, rows: readonly Row[]): string {
  const lost = rows.filter(({ measure }) => ['lost', 'refused', 'over-budget', 'fallback'].includes(measure));
  return crossSection(
    experiment,
    'What is lost to each limit',
    'In percent of the conversions, or of the sources, without noise of the outputs. A source over its budget is stored, and no conversion counts for it.',
    lost,
    ({ measure, what }) => `${measure === 'lost' ? 'conversions' : 'sources'}: ${words(what)}`,
  );
}

const delaySection = (experiment: Experiment, rows: readonly Row[]): string =>
  crossSection(
    experiment,
    'Conversions that make a report, by their delay',
    'In percent of the conversions so long after the last source that could have them, without noise of the outputs.',
    rows.filter(({ measure }) => measure === 'reported-by-delay'),
    ({ what, count }) => `${what} (${count ?? 0})`,
  );

const spentSection = (experiment: Experiment, rows: readonly Row[]): string =>
  crossSection(
    experiment,
    'What privacy units spend',
    'ε of a privacy unit in a period, by basic composition.',
    rows.filter(({ measure }) => measure === 'spent-mean' || measure === 'spent-most'),
    ({ measure }) => (measure === 'spent-mean' ? 'mean ε' : 'largest ε'),
  );

const describeCell = (experiment: Experiment, rows: readonly Row[], cell: number): string =>
  valuesOf(experiment, rows, cell).map(textOf).join(', ');
