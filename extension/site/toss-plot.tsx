import type { JSX } from 'preact';
import { t } from '../i18n';
import { showNumber } from '../pages/words/words';
import { usePlotWidth } from '../pages/ui/plot-width';
import type { TossPoint } from './toss-run';
import { ShareAxis } from './share-axis';

const [HEIGHT, LEFT, BOTTOM] = [240, 48, 30];
/** Estimates beyond these shares are drawn at the edge. */
const [LOWEST, HIGHEST] = [-0.1, 0.5];

/** What the tosses show and what is estimated from them, against the truth, as tosses are added. */
export function TossPlot({
  points,
  people,
  truth,
}: {
  readonly points: readonly TossPoint[];
  readonly people: number;
  readonly truth: number;
}): JSX.Element {
  const width = usePlotWidth(720);
  const x = (tosses: number): number => LEFT + ((width - LEFT - 12) * tosses) / people;
  const y = (share: number): number => {
    const within = Math.min(HIGHEST, Math.max(LOWEST, share));
    return ((HIGHEST - within) / (HIGHEST - LOWEST)) * (HEIGHT - BOTTOM - 12) + 12;
  };
  const line = (of: (point: TossPoint) => number): string =>
    points.map((point) => `${x(point.tosses)},${y(of(point))}`).join(' ');
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('toss_many_title')}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={t('toss_plot')}>
          <ShareAxis shares={[0, 0.1, 0.2, 0.3, 0.4]} y={y} left={LEFT} right={width - 12} />
          {[0, people / 2, people].map((tosses) => (
            <text
              key={tosses}
              x={x(tosses)}
              y={HEIGHT - 8}
              text-anchor={tosses === people ? 'end' : 'middle'}
              class="tick"
            >
              {showNumber(tosses)}
            </text>
          ))}
          <line x1={LEFT} x2={width - 12} y1={y(truth)} y2={y(truth)} class="truth-line" />
          <polyline points={line(({ observed }) => observed)} class="observed-line" />
          <polyline points={line(({ estimate }) => estimate)} class="estimate-line" />
        </svg>
      </div>
      <p class="legend small soft">
        <span class="key truth-key">{t('toss_truth_line')}</span>
        <span class="key observed-key">{t('toss_observed_line')}</span>
        <span class="key estimate-key">{t('toss_estimate_line')}</span>
      </p>
    </>
  );
}
