import { shownColumns, errorHeading, errorOf, lossHeading } from './columns';
import type { ShareOfParts } from './examples';
import type { Experiment, Figure } from './experiment';
import { escaped, figureSvg, type FigureLine } from '../report/figure-svg';
import { lineKey, pageHtml, tableHtml } from '../report/page';
import { networkName } from './network-model';
import { hasStages } from './recipe';
import { baselinesOf, linesOf, type Line, type Point, type Row } from './summary';

export const TUNED =
  'Caps, learning rates and shares of ε were chosen on validation data. What that choice tells of private data is not accounted for.';

/** The results of an experiment as one page that needs no other file. */
export function reportHtml(experiment: Experiment, rows: readonly Row[], shares: ShareOfParts): string {
  const { seeds, data, users, delta, period } = experiment;
  const log = data === null ? `a made-up log of ${users} users` : escaped(data);
  return pageHtml(
    'What the noise costs the model',
    [
      `Data: ${log}. ${splitText(shares)}`,
      `Each point is the mean over ${seeds} trainings, with two standard errors to each side; the tables show ± one.`,
      `Losses are how much 1 − AUC (for values, the squared error) grew over that of the same model without privacy, which sees all features:
${baselinesOf(rows).map(baselineText).join('; ')}.`,
      `A privacy unit gets a new budget after ${period} days. δ is ${delta} where gradients, votes or sums of features are noisy, otherwise 0. Neighbours replace the labels of one unit; where sums of features are noisy, also its sensitive features; where gradients are noisy, its examples.`,
      TUNED,
    ],
    experiment.figures.map((figure, index) => section(figure, linesOf(rows, figure, index))),
  );
}

function splitText({ training, validation, random }: ShareOfParts): string {
  const percent = (share: number): string => `${Number((100 * share).toFixed(2))} %`;
  const [first, second, last] = [training, validation, 1 - training - validation].map(percent);
  return random === null
    ? `By time, the first ${first} of the impressions train, ${second} validate, and the last ${last} test.`
    : `Impressions are in a part at random: ${first} train, ${second} validate, and ${last} test. All labels count, also those that came later.`;
}

const modelText = ({ model, network }: Pick<Figure, 'model' | 'network'>): string =>
  model === 'network' ? `network ${networkName(network)}` : `${model} model`;

const baselineText = (point: Point): string =>
  `${modelText(point.recipe)}, ${point.recipe.label}s: ${errorHeading(point.recipe)} ${errorOf(point.recipe, point)}`;

const hasBareValues = ({ line }: Figure): boolean =>
  line === 'cap' || line === 'debiased' || line === 'threshold';

function section(figure: Figure, lines: readonly Line[]): string {
  const {
    model,
    network,
    features,
    allocation,
    prior,
    loss,
    examples,
    methods,
    stages,
    stageSplit,
    labelPhase,
    labelCap,
  } = figure;
  const columns = shownColumns(figure);
  const facts = [
    modelText({ model, network }),
    `${loss} loss`,
    examples === 'conversions' ? 'only examples with a conversion' : 'all examples',
    features === 'known' ? 'noisy labels without the sensitive features' : 'all features known',
    `allocation ${allocation}`,
    `prior ${prior}`,
    ...(methods.some((method) => hasStages({ method, labelPhase }))
      ? [`${stages} stages, each with a part of the ${stageSplit}`]
      : []),
    ...(methods.includes('hybrid') ? [`labels by ${labelPhase} in hybrid`] : []),
    ...(methods.includes('hybrid') && labelCap !== null ? [`cap ${labelCap} for labels in hybrid`] : []),
  ];
  const names = lines.map(({ name }) => (hasBareValues(figure) ? `${figure.line} ${name}` : name));
  const key = (index: number): string => lineKey(index, names[index] ?? '');
  const rowOf = (line: number, point: Point, isFirst: boolean): string =>
    `<tr${isFirst && line > 0 ? ' class="next"' : ''}><td>${key(line)}</td>${columns.map(({ text }) => `<td>${text(point)}</td>`).join('')}</tr>`;
  return `<section>
<h2>${escaped(figure.title)}</h2>
<p>${facts.join(' · ')}</p>
<div>
<ul class="legend">${lines.map((_, index) => `<li>${key(index)}</li>`).join('')}</ul>
${figureSvg({ title: figure.title, x: 'ε', y: lossHeading(figure) }, lines.map(figureLine), { most: MOST })}
</div>
${tableHtml(
  [figure.line, ...columns.map(({ heading }) => heading)],
  lines.flatMap(({ points }, line) => points.map((point, index) => rowOf(line, point, index === 0))),
)}
</section>`;
}

/** Losses above this are cut off: a model near chance says little. */
const MOST = 150;

const figureLine = ({ name, points }: Line): FigureLine => ({
  name,
  points: points.map(({ recipe, loss }) => ({ x: recipe.epsilon ?? Infinity, y: loss })),
});
