import type { JSX } from 'preact';
import type { Attack, Success } from '../../analysis/attack/attack';
import { t } from '../i18n';
import { usePlotWidth } from '../pages/ui/plot-width';
import { showShort } from '../pages/words/words';
import { ShareAxis } from './share-axis';

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [240, 52, 16, 12, 44];
/** Points of a bound between its ends. */
const STEPS = 60;

/** By ε; null: without noise. */
export type Found = ReadonlyMap<number | null, readonly Success[]>;

/** Success by ε with its interval, and as a dashed line what ε promises; ε is placed by its logarithm. */
export function AttackCurve({
  attack: { attackers, bounds },
  found,
  epsilons,
  at,
}: {
  readonly attack: Attack;
  readonly found: Found;
  /** Marked on the axis; the first and the last bound the plot. */
  readonly epsilons: readonly number[];
  readonly at: number | null;
}): JSX.Element {
  const width = usePlotWidth(640);
  const [first, last] = [epsilons[0] ?? 1, epsilons.at(-1) ?? 1];
  const x = (epsilon: number): number =>
    LEFT + 8 + ((width - LEFT - RIGHT - 16) * Math.log(epsilon / first)) / Math.log(last / first);
  const y = (share: number): number => TOP + (1 - share) * (HEIGHT - BOTTOM - TOP);
  const known = [...found].flatMap(([epsilon, shares]) => (epsilon === null ? [] : [{ epsilon, shares }]));
  const sorted = known.toSorted((a, b) => a.epsilon - b.epsilon);
  const marked = sorted.filter(({ epsilon }) => epsilon === at || epsilons.includes(epsilon));
  const steps = Array.from({ length: STEPS + 1 }, (_, step) => first * (last / first) ** (step / STEPS));
  const promised = steps.map((epsilon) => ({ epsilon, shares: bounds(epsilon) }));
  return (
    <figure class="curve">
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('attack_curve')}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={t('attack_curve')}>
          <ShareAxis shares={[0, 0.25, 0.5, 0.75, 1]} y={y} left={LEFT} right={width - RIGHT} />
          {epsilons.map((epsilon) => (
            <text key={epsilon} x={x(epsilon)} y={HEIGHT - 24} text-anchor="middle" class="tick">
              {showShort(epsilon)}
            </text>
          ))}
          <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6} text-anchor="middle" class="tick">
            {t('tables_column_epsilon')}
          </text>
          {at !== null && <line x1={x(at)} x2={x(at)} y1={y(1)} y2={y(0)} class="grid" />}
          {attackers.map((attacker, index) => (
            <g key={attacker} class={`attacker${index}`}>
              <polyline
                class="bound"
                points={promised
                  .flatMap(({ epsilon, shares }) => {
                    const bound = shares[index] ?? null;
                    return bound === null ? [] : [`${x(epsilon)},${y(bound)}`];
                  })
                  .join(' ')}
              />
              <polyline
                points={sorted
                  .map(({ epsilon, shares }) => `${x(epsilon)},${y(shares[index]?.share ?? 0)}`)
                  .join(' ')}
              />
              {marked.map(({ epsilon, shares }) => (
                <g key={epsilon}>
                  <line
                    x1={x(epsilon)}
                    x2={x(epsilon)}
                    y1={y(shares[index]?.low ?? 0)}
                    y2={y(shares[index]?.high ?? 0)}
                  />
                  <circle cx={x(epsilon)} cy={y(shares[index]?.share ?? 0)} r={epsilon === at ? 5 : 3} />
                </g>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <figcaption class="legend small soft">
        {attackers.map((attacker, index) => (
          <span key={attacker} class={`key attacker${index}-key`}>
            {t('attack_word', { word: attacker })}
          </span>
        ))}
        <span>{t('attack_bound_line')}</span>
      </figcaption>
    </figure>
  );
}
