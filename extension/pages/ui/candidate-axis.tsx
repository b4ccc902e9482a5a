import type { JSX } from 'preact';
import type { ConsideredSource } from '../../../src/model/considered-source';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { showDuration } from '../words/words';
import { usePlotWidth } from './plot-width';
import { least } from '../../../numeric/extremes';

/** Of a mark at either end. */
const MARGIN = 12;
const LINE = 26;

/** The candidates before a trigger, to scale. */
export function CandidateAxis({
  entry,
  candidates,
}: {
  readonly entry: TriggerEntry;
  readonly candidates: readonly ConsideredSource[];
}): JSX.Element {
  const width = usePlotWidth(720);
  const start = least([...candidates.map(({ time }) => time), entry.time]);
  const span = Math.max(1, entry.time - start);
  const x = (time: number): number =>
    MARGIN + ((Math.min(time, entry.time) - start) / span) * (width - 2 * MARGIN);
  const words = t('ui_axis', { n: candidates.length, span: showDuration(span) });
  return (
    <svg class="timeline candidate-axis" viewBox={`0 0 ${width} 56`} role="img" aria-label={words}>
      <line class="lane" x1={MARGIN} x2={width - MARGIN} y1={LINE} y2={LINE} />
      {candidates.map(({ id, time }) => (
        <g key={id} class="mark conversion" transform={`translate(${x(time)} ${LINE})`}>
          <title>{t('ui_axis_source', { id, span: showDuration(Math.max(0, entry.time - time)) })}</title>
          <circle r={6} />
        </g>
      ))}
      <g transform={`translate(${x(entry.time)} ${LINE})`}>
        <title>{t('ui_axis_the_conversion')}</title>
        <path class="conversion-mark" d="M 0 -10 L 9 0 L 0 10 L -9 0 Z" />
      </g>
      <text class="axis-title" x={MARGIN} y={50} text-anchor="start">
        {t('attribution_before', { span: showDuration(span) })}
      </text>
      <text class="axis-title" x={width - MARGIN} y={50} text-anchor="end">
        {t('tables_what_conversion')}
      </text>
    </svg>
  );
}
