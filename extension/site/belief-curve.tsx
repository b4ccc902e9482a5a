import type { JSX } from 'preact';
import { t } from '../i18n';
import { usePlotWidth } from '../pages/ui/plot-width';
import { ShareAxis } from './share-axis';

const [HEIGHT, LEFT, BOTTOM] = [220, 48, 30];
/** More would not be told apart. */
const MOST_DRAWN = 60;

/** The belief after each number of reports that say the same, up to the most that the budget allows. */
export function BeliefCurve({
  after,
  most,
}: {
  readonly after: (times: number) => number;
  readonly most: number;
}): JSX.Element {
  const drawn = Math.min(most, MOST_DRAWN);
  const width = usePlotWidth(720);
  const x = (times: number): number => LEFT + ((width - LEFT - 20) * times) / Math.max(1, drawn);
  const y = (share: number): number => 12 + (1 - share) * (HEIGHT - BOTTOM - 20);
  const all = Array.from({ length: drawn + 1 }, (_, times) => times);
  const apart = Math.ceil(drawn / 10);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t('know_more_title')}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={t('know_curve')}>
        <ShareAxis shares={[0, 0.25, 0.5, 0.75, 1]} y={y} left={LEFT} right={width - 12} />
        <polyline
          points={all.map((times) => `${x(times)},${y(after(times))}`).join(' ')}
          class="estimate-line"
        />
        {all.map((times) => (
          <g key={times}>
            <circle cx={x(times)} cy={y(after(times))} r="4" class="drop" />
            {times % apart === 0 && (
              <text x={x(times)} y={HEIGHT - 8} text-anchor="middle" class="tick">
                {times}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}
