import type { MeanWithError } from './mean-with-error';

/** A line of a figure. */
export interface FigureLine {
  readonly name: string;
  readonly points: readonly FigurePoint[];
}

interface FigurePoint {
  /** A number is placed by its logarithm, if all are above 0; names are placed one after another. */
  readonly x: number | string;
  readonly y: MeanWithError | MeanWithEnds;
}

/** A mean whose error bar is given by its ends, which can be at different distances. */
export interface MeanWithEnds {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface FigureWords {
  readonly title: string;
  readonly x: string;
  readonly y: string;
}

export const WIDTH = 640;
export const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 16;
const TOP = 16;
const BOTTOM = 44;
/** Characters of a name below the figure. */
const LONGEST = 22;

export interface FigureScale {
  /** Values beyond these are cut off. */
  readonly least?: number;
  readonly most?: number;
  /** Whether values are placed by their logarithm; those that have none, at the bottom. */
  readonly isLogarithmic?: boolean;
}

/** Lines with an error bar at each point: two standard errors to each side, or to the ends that it gives. Colours: classes `line0`, … */
export const figureSvg = (
  words: FigureWords,
  lines: readonly FigureLine[],
  scale: FigureScale = {},
): string => `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(words.title)}">
${figureContent(words, lines, scale)}
</svg>`;

/** What is in the figure's `svg` element, which is WIDTH wide and HEIGHT high. */
export function figureContent(
  { x: xWords, y: yWords }: FigureWords,
  given: readonly FigureLine[],
  { least = -Infinity, most = Infinity, isLogarithmic = false }: FigureScale,
): string {
  const xs = [...new Set(given.flatMap(({ points: of }) => of.map(({ x: at }) => at)))].sort(byNumber);
  // What has no place, as an interval without ends, is not drawn.
  const lines = given.map((line) => ({
    ...line,
    points: line.points.filter(({ y: { mean } }) => Number.isFinite(mean)),
  }));
  const points = lines.flatMap((line) => line.points);
  const highs = points.map(({ y }) => endsOf(y).high);
  const lows = points.map(({ y }) => endsOf(y).low);
  const highest = Math.min(
    most,
    highs.reduce((one, other) => Math.max(one, other), 1e-9),
  );
  const { bottom, top, ticks } = isLogarithmic
    ? powersFor(
        points.map(({ y }) => y.mean).filter((mean) => mean > 0),
        highest,
      )
    : axisFor(
        Math.max(
          least,
          lows.reduce((one, other) => Math.min(one, other), 0),
        ),
        highest,
      );
  const placed = (value: number): number => (isLogarithmic ? Math.log(value) : value);
  const y = (value: number): number => {
    const inside = placed(Math.max(bottom, Math.min(top, value)));
    return round(TOP + ((HEIGHT - TOP - BOTTOM) * (placed(top) - inside)) / (placed(top) - placed(bottom)));
  };
  const x = scaleOf(xs);
  const gridLines = ticks.map(
    (tick) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${shortTick(tick)}</text>`,
  );
  const labels = xs.map(
    (value) =>
      `<text x="${x(value)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${escaped(shortened(String(value)))}</text>`,
  );
  return `${gridLines.join('\n')}
${labels.join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(xWords)}</text>
<text transform="translate(14 ${(HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escaped(yWords)}</text>
${lines.map((line, index) => lineSvg(line, index, lines.length, x, y)).join('\n')}`;
}

type XScale = (x: number | string) => number;

function lineSvg(
  { points }: FigureLine,
  index: number,
  lines: number,
  x: XScale,
  y: (value: number) => number,
): string {
  // Moved aside, so that error bars do not hide each other.
  const at = (value: number | string): number => round(x(value) + 5 * (index - (lines - 1) / 2));
  const path = points.map((point) => `${at(point.x)},${y(point.y.mean)}`).join(' ');
  const marks = points.map((point) => {
    const place = at(point.x);
    const { low, high } = endsOf(point.y);
    return `<line x1="${place}" x2="${place}" y1="${y(low)}" y2="${y(high)}"/><circle cx="${place}" cy="${y(point.y.mean)}" r="3.5"/>`;
  });
  const curve = points.some(({ x: value }) => typeof value === 'string')
    ? ''
    : `<polyline points="${path}"/>`;
  return `<g class="line${index}">${curve}${marks.join('')}</g>`;
}

function endsOf(y: FigurePoint['y']): Omit<MeanWithEnds, 'mean'> {
  if (!('error' in y)) return y;
  const bar = Number.isFinite(y.error) ? 2 * y.error : 0;
  return { low: y.mean - bar, high: y.mean + bar };
}

/** Names stay in their order. */
const byNumber = (a: number | string, b: number | string): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : 0;

function scaleOf(xs: readonly (number | string)[]): XScale {
  const numbers = xs.filter((x): x is number => typeof x === 'number');
  const areAbove0 = numbers.length === xs.length && numbers.every((x) => x > 0);
  const placed = (x: number | string): number => {
    if (numbers.length < xs.length) return xs.indexOf(x);
    return areAbove0 ? Math.log(Number(x)) : Number(x);
  };
  const [least, most] = [placed(xs[0] ?? 1), placed(xs.at(-1) ?? 1)];
  const aside = numbers.length < xs.length ? 70 : 30;
  const room = WIDTH - LEFT - RIGHT - 2 * aside;
  return (x) =>
    round(LEFT + aside + (most === least ? room / 2 : (room * (placed(x) - least)) / (most - least)));
}

interface ValueAxis {
  readonly bottom: number;
  readonly top: number;
  readonly ticks: readonly number[];
}

/** Powers of ten. */
function powersFor(values: readonly number[], most: number): ValueAxis {
  const first = Math.floor(Math.log10(values.reduce((one, other) => Math.min(one, other), most)));
  const last = Math.max(Math.ceil(Math.log10(most)), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number((10 ** (first + index)).toPrecision(1)),
  );
  return { bottom: 10 ** first, top: 10 ** last, ticks };
}

function axisFor(least: number, most: number): ValueAxis {
  const power = 10 ** Math.floor(Math.log10(most - least) - 1);
  const step =
    [1, 2, 5, 10, 20, 50].map((size) => size * power).find((size) => (most - least) / size <= 7) ?? 100;
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  // As short as the step is.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(10)),
  );
  return { bottom: first * step, top: last * step, ticks };
}

/** Longer numbers would run into the words of the axis. */
const shortTick = (tick: number): string => (tick >= 10_000 ? `${tick / 1000}k` : String(tick));

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
