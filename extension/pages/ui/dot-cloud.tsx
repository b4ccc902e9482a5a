import type { JSX } from 'preact';
import { t } from '../../i18n';
import { showShort } from '../words/words';
import { dotPlaces } from './dot-places';
import { usePlotWidth } from './plot-width';
import { ticksBetween } from './ticks';
import { greatest, least } from '../../../numeric/extremes';

const HEIGHT = 250;
const [LEFT, TOP, BOTTOM] = [16, 16, 28];
const AREA = { height: HEIGHT - TOP - BOTTOM, piles: 30 };

/** A dot for each value, piled up along an axis; what really happened is lit, and a line is at the truth. */
export function DotCloud({
  values,
  own,
  truth,
  label,
}: {
  readonly values: readonly number[];
  readonly own: number | null;
  readonly truth: number;
  readonly label: string;
}): JSX.Element {
  const width = usePlotWidth(720);
  const area = { ...AREA, width: width - 2 * LEFT };
  const all = [...values, truth, ...(own === null ? [] : [own])];
  const [low, high] = [least(all), greatest(all)];
  // Values are counts: what lies within one of them must not look far apart.
  const margin = Math.max((high - low) * 0.05, 0.5);
  const [first, last] = [low - margin, high + margin];
  const share = (value: number): number => (value - first) / (last - first);
  const x = (value: number): number => LEFT + share(value) * area.width;
  const { places, radius } = dotPlaces(values.map(share), area);
  return (
    <>
      <div class="scroll-x curve" tabIndex={0} role="region" aria-label={label}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={label}>
          <line x1={LEFT} x2={width - LEFT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} class="grid" />
          {ticksBetween(first, last, 6).map((tick) => (
            <text key={tick} x={x(tick)} y={HEIGHT - 8} text-anchor="middle" class="tick">
              {showShort(tick)}
            </text>
          ))}
          {places.map((place, index) => (
            <circle
              key={index}
              r={radius}
              class="world"
              style={{ transform: `translate(${LEFT + place.x}px, ${TOP + place.y}px)` }}
            />
          ))}
          <line x1={x(truth)} x2={x(truth)} y1={TOP} y2={HEIGHT - BOTTOM} class="truth-line" />
          {own !== null && (
            <g class="own">
              <line x1={x(own)} x2={x(own)} y1={TOP} y2={HEIGHT - BOTTOM} />
              <circle cx={x(own)} cy={TOP} r="8" />
            </g>
          )}
        </svg>
      </div>
      <p class="legend small soft">
        <span class="key dot-key">{t('cloud_dot')}</span>
        {own !== null && <span class="key own-key">{t('cloud_own')}</span>}
        <span class="key truth-key">{t('cloud_truth')}</span>
      </p>
    </>
  );
}
