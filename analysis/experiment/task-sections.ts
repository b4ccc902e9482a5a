import { least } from '../../numeric/extremes';
import { escaped } from '../report/figure-svg';
import { tableHtml } from '../report/page';
import { textOf } from './cell-text';
import type { Experiment } from './experiment';
import { figure, rowHtml, shown, valuesOf, variedNames } from './report-parts';
import type { Row } from './summary';
import type { Task } from './tasks/task';
import { tasks } from './tasks/tasks';

/** For each task a figure of each number, and a table with all. */
export const taskSections = (experiment: Experiment, rows: readonly Row[]): readonly string[] =>
  experiment.measure.tasks.map((name) => {
    const task: Task = tasks[name];
    const ofTask = rows.filter(({ measure, quantity }) => measure === 'task' && quantity === name);
    const columns = Object.keys(task.numbers);
    const cells = [...new Set(ofTask.map(({ cell }) => cell))];
    return `<section>
<h2>${escaped(task.title)}</h2>
<p>${escaped(task.what)}</p>
<div class="wide figures">${columns
      .map((column) =>
        numberFigure(
          experiment,
          column,
          ofTask.filter(({ what }) => what === column),
        ),
      )
      .join('\n')}</div>
<div class="wide">${tableHtml(
      [...variedNames(experiment), ...columns],
      cells.map((cell) =>
        rowHtml([
          ...valuesOf(experiment, ofTask, cell).map((value) => escaped(textOf(value))),
          ...columns.map((column) =>
            shown(ofTask.find((row) => row.cell === cell && row.what === column)?.value),
          ),
        ]),
      ),
    )}</div>
</section>`;
  });

/** Two standard errors alone do not take the axis below 0, where few of these numbers can be. */
const numberFigure = (experiment: Experiment, column: string, rows: readonly Row[]): string =>
  figure(
    experiment,
    { title: column, y: column, scale: { least: least([0, ...rows.map(({ value }) => value.mean)]) } },
    rows,
  );
