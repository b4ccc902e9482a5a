import { shownColumns, errorHeading, errorOf, lossHeading } from './columns';
import type { Experiment, Figure } from './experiment';
import { escaped, figureSvg } from './figure-svg';
import { baselinesOf, linesOf, type Line, type Point, type Row } from './summary';

const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1c2530; --soft: #5a6673; --rule: #d5dbe2; --surface: #f6f8fa;
  --line0: #1f6fb2; --line1: #c2570c; --line2: #2d7d46; --line3: #8a3fa0; --line4: #a8283c; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181e; --text: #e4e9ef; --soft: #a3afbb; --rule: #38424d; --surface: #1c222a;
  --line0: #6fb1ec; --line1: #f39a55; --line2: #74c78e; --line3: #cf94e2; --line4: #f0818f; } }
body { margin: 2rem auto; max-width: 84rem; padding: 0 1rem; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin-bottom: .5rem; } .facts { padding-left: 1.2rem; max-width: 60rem; } .facts li { margin: .35rem 0; } h2 { font-size: 1.15rem; margin: 0 0 .75rem; } p { max-width: 48rem; }
section { display: grid; grid-template-columns: minmax(20rem, 1fr) minmax(20rem, auto); gap: .5rem 2rem; margin: 2.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--rule); }
section h2, section p { grid-column: 1 / -1; } section p { margin: 0; max-width: none; color: var(--soft); } section > div { min-width: 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0; padding: 0; }
@media (max-width: 56rem) { section { grid-template-columns: 1fr; } }
svg { width: 100%; height: auto; } svg text { font-size: 13px; fill: var(--text); } .grid { stroke: var(--rule); }
svg g { fill: none; stroke-width: 2; } svg polyline { fill: none; }
${[0, 1, 2, 3, 4].map((line) => `.line${line} { stroke: var(--line${line}); } .line${line} circle, td .line${line} { fill: var(--line${line}); }`).join('\n')}
.key { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 50%; vertical-align: baseline; }
${[0, 1, 2, 3, 4].map((line) => `.key.line${line} { background: var(--line${line}); }`).join('\n')}
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody tr.next td { border-top: 2px solid var(--rule); } th { background: var(--surface); } th:first-child, td:first-child { text-align: left; }
`;

/** The results of an experiment as one page that needs no other file. */
export function reportHtml(experiment: Experiment, rows: readonly Row[]): string {
  const { seeds, data, users, delta, period } = experiment;
  const log = data === null ? `a made-up log of ${users} users` : escaped(data);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What the noise costs the model</title>
<style>${STYLE}</style>
</head>
<body>
<h1>What the noise costs the model</h1>
<ul class="facts">
<li>Data: ${log}. By time, the first 70 % of the impressions train, 10 % validate, and the last 20 % test.</li>
<li>Each point is the mean over ${seeds} trainings, with two standard errors to each side; the tables show ± one.</li>
<li>Losses are how much 1 − AUC (for values, the squared error) grew over that of the same model without privacy, which sees all features:
${baselinesOf(rows).map(baselineText).join('; ')}.</li>
<li>A privacy unit gets a new budget after ${period} days. δ is ${delta} where gradients are noisy, otherwise 0.</li>
<li>Caps and learning rates were chosen on validation data. What that choice tells of private data is not accounted for.</li>
</ul>
${experiment.figures.map((figure, index) => section(figure, linesOf(rows, figure, index))).join('\n')}
</body>
</html>
`;
}

const baselineText = (point: Point): string =>
  `${point.recipe.model}, ${point.recipe.label}s: ${errorHeading(point.recipe)} ${errorOf(point.recipe, point)}`;

const hasBareValues = ({ line }: Figure): boolean => line === 'cap' || line === 'debiased';

function section(figure: Figure, lines: readonly Line[]): string {
  const { model, features, allocation, prior, loss, examples } = figure;
  const columns = shownColumns(figure);
  const facts = [
    `${model} model`,
    `${loss} loss`,
    examples === 'conversions' ? 'only examples with a conversion' : 'all examples',
    features === 'known' ? 'noisy labels without the sensitive features' : 'all features known',
    `allocation ${allocation}`,
    `prior ${prior}`,
  ];
  const names = lines.map(({ name }) => escaped(hasBareValues(figure) ? `${figure.line} ${name}` : name));
  const key = (index: number): string => `<span class="key line${index}"></span>${names[index] ?? ''}`;
  const rowOf = (line: number, point: Point, isFirst: boolean): string =>
    `<tr${isFirst && line > 0 ? ' class="next"' : ''}><td>${key(line)}</td>${columns.map(({ text }) => `<td>${text(point)}</td>`).join('')}</tr>`;
  return `<section>
<h2>${escaped(figure.title)}</h2>
<p>${facts.join(' · ')}</p>
<div>
<ul class="legend">${lines.map((_, index) => `<li>${key(index)}</li>`).join('')}</ul>
${figureSvg(figure.title, lossHeading(figure), lines)}
</div>
<div class="scroll"><table>
<thead><tr>${[figure.line, ...columns.map(({ heading }) => heading)].map((heading) => `<th scope="col">${heading}</th>`).join('')}</tr></thead>
<tbody>
${lines.flatMap(({ points }, line) => points.map((point, index) => rowOf(line, point, index === 0))).join('\n')}
</tbody>
</table></div>
</section>`;
}
