import type { JSX } from 'preact';
import { showShort } from '../words/words';
import { usePlotWidth } from './plot-width';
import { greatest, least } from '../../../numeric/extremes';

const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [74, 20, 32, 40];

export interface PlottedLine {
  readonly name: string;
  /** A class of the style sheet: `estimate` or `observed`. */
  readonly look: 'estimate' | 'observed';
  /** y must be above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The x to mark on the line. */
  readonly at: number;
}

/** Lines over the same x, with y by its logarithm. */
export function LinePlot({
  lines,
  ticks,
  xTitle,
  yTitle,
  label,
}: {
  readonly lines: readonly PlottedLine[];
  /** Of x; the first and the last bound the plot. */
  readonly ticks: readonly number[];
  readonly xTitle: string;
  readonly yTitle: string;
  readonly label: string;
}): JSX.Element {
  const width = usePlotWidth(480);
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => Math.log10(y)));
  const [low, high] = [Math.floor(least(ys)), Math.ceil(greatest(ys) + 1e-9)];
  const [first, last] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const x = (value: number): number => LEFT + ((width - LEFT - RIGHT) * (value - first)) / (last - first);
  const y = (value: number): number =>
    TOP + ((HEIGHT - TOP - BOTTOM) * (high - Math.log10(value))) / Math.max(1, high - low);
  const powers = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const apart = Math.ceil(powers.length / 6);
  return (
    <figure class="curve">
      <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={label}>
          <text x={LEFT - 6} y={14} class="tick">
            {yTitle}
          </text>
          {powers
            .filter((_, index) => index % apart === 0)
            .map((power) => (
              <g key={power}>
                <line x1={LEFT} x2={width - RIGHT} y1={y(power)} y2={y(power)} class="grid" />
                <text x={LEFT - 6} y={y(power) + 4} text-anchor="end" class="tick">
                  {showShort(power)}
                </text>
              </g>
            ))}
          {ticks.map((tick) => (
            <text key={tick} x={x(tick)} y={HEIGHT - 22} text-anchor="middle" class="tick">
              {showShort(tick)}
            </text>
          ))}
          <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6} text-anchor="middle" class="tick">
            {xTitle}
          </text>
          {lines.map(({ name, look, points, at }) => (
            <g key={look} class={`${look}-line`}>
              <polyline points={points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')} />
              {points
                .filter(([px]) => px === at)
                .map(([px, py]) => (
                  <circle key={px} cx={x(px)} cy={y(py)} r="5">
                    <title>{`${name}: ${showShort(py)}`}</title>
                  </circle>
                ))}
            </g>
          ))}
        </svg>
      </div>
      {lines.length > 1 && (
        <figcaption class="legend small soft">
          {lines.map(({ name, look }) => (
            <span key={look} class={`key ${look}-key`}>
              {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}
