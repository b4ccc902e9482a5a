import type { MeanWithError } from './metrics';
import type { Line } from './summary';

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 16;
const TOP = 16;
const BOTTOM = 44;
/** Losses above this are cut off: a model near chance says little. */
const MOST = 150;

/** Losses against ε, a line for each name, with an error bar of two standard errors at each point. Colours: classes `line0`, … */
export function figureSvg(title: string, heading: string, lines: readonly Line[]): string {
  const epsilons = [...new Set(lines.flatMap(({ points }) => points.map(epsilonOf)))].sort((a, b) => a - b);
  const highs = lines.flatMap(({ points }) => points.map(({ loss }) => loss.mean + 2 * barOf(loss)));
  const lows = lines.flatMap(({ points }) => points.map(({ loss }) => loss.mean - 2 * barOf(loss)));
  const { bottom, top, ticks } = axisFor(Math.min(0, ...lows), Math.min(MOST, Math.max(1, ...highs)));
  const x = logScale(epsilons);
  const y = (loss: number): number =>
    round(TOP + ((HEIGHT - TOP - BOTTOM) * (top - Math.max(bottom, Math.min(top, loss)))) / (top - bottom));
  const gridLines = ticks.map(
    (tick) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
  );
  const labels = epsilons.map(
    (epsilon) => `<text x="${x(epsilon)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${epsilon}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
${gridLines.join('\n')}
${labels.join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">ε</text>
<text transform="translate(14 ${(HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escaped(heading)}</text>
${lines.map((line, index) => lineSvg(line, index, lines.length, x, y)).join('\n')}
</svg>`;
}

function lineSvg(
  { points }: Line,
  index: number,
  lines: number,
  x: (epsilon: number) => number,
  y: (loss: number) => number,
): string {
  // Moved aside, so that error bars do not hide each other.
  const at = (epsilon: number): number => round(x(epsilon) + 5 * (index - (lines - 1) / 2));
  const path = points.map((point) => `${at(epsilonOf(point))},${y(point.loss.mean)}`).join(' ');
  const marks = points.map((point) => {
    const place = at(epsilonOf(point));
    const { loss } = point;
    const bar = 2 * barOf(loss);
    return `<line x1="${place}" x2="${place}" y1="${y(loss.mean - bar)}" y2="${y(loss.mean + bar)}"/><circle cx="${place}" cy="${y(loss.mean)}" r="3.5"/>`;
  });
  return `<g class="line${index}"><polyline points="${path}"/>${marks.join('')}</g>`;
}

const epsilonOf = ({ recipe }: { readonly recipe: { readonly epsilon: number | null } }): number =>
  recipe.epsilon ?? Infinity;

const barOf = ({ error }: MeanWithError): number => (Number.isNaN(error) ? 0 : error);

function logScale(epsilons: readonly number[]): (epsilon: number) => number {
  const [least, most] = [Math.log(epsilons[0] ?? 1), Math.log(epsilons.at(-1) ?? 1)];
  const room = WIDTH - LEFT - RIGHT - 60;
  return (epsilon) =>
    round(LEFT + 30 + (most === least ? room / 2 : (room * (Math.log(epsilon) - least)) / (most - least)));
}

function axisFor(least: number, most: number): { bottom: number; top: number; ticks: readonly number[] } {
  const step = [1, 2, 5, 10, 20, 50].find((size) => (most - least) / size <= 7) ?? 100;
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { bottom: first * step, top: last * step, ticks };
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
