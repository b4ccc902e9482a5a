import type { JSX } from 'preact';
import { t } from '../i18n';
import { showDecimal } from '../pages/words/words';

/** A line across a plot for each share, with the share in percent before it. */
export const ShareAxis = ({
  shares,
  y,
  left,
  right,
}: {
  readonly shares: readonly number[];
  readonly y: (share: number) => number;
  readonly left: number;
  readonly right: number;
}): JSX.Element => (
  <>
    {shares.map((share) => (
      <g key={share}>
        <line x1={left} x2={right} y1={y(share)} y2={y(share)} class="grid" />
        <text x={left - 6} y={y(share) + 4} text-anchor="end" class="tick">
          {t('attribution_percent', { number: showDecimal(share * 100) })}
        </text>
      </g>
    ))}
  </>
);
