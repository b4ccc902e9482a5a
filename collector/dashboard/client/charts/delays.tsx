import * as Plot from '@observablehq/plot';
import type { JSX } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import type { Statistics } from '../../../store/statistics';
import { Chart, Legend } from '../chart';
import { t } from '../language';
import { isLate, lateReports, reportsRange, type Delay } from '../late-reports';
import { showCount, showSeconds, showShare, showTick } from '../words';

/** How long after their due time reports arrived. */
export function Delays({ delays }: { readonly delays: Statistics['delays'] }): JSX.Element {
  const total = delays.reduce((sum, { reports }) => sum + reports, 0);
  const data = useMemo(
    () =>
      delays
        .filter(({ from, reports }) => from !== null || reports > 0)
        .map((delay) => ({ label: labelOf(delay), reports: delay.reports, late: isLate(delay) })),
    [delays],
  );
  const draw = useCallback(
    (width: number) =>
      Plot.plot({
        className: 'plot',
        width,
        height: 60 + data.length * 24,
        marginLeft: 84,
        marginRight: 52,
        x: { domain: reportsRange(data), grid: true, label: null, ticks: 4, tickFormat: showTick },
        y: { label: null, domain: data.map(({ label }) => label) },
        marks: [
          Plot.barX(data, {
            x: 'reports',
            y: 'label',
            fill: (row: { readonly late: boolean }) => (row.late ? 'var(--series-5)' : 'var(--series-2)'),
            insetTop: 2,
            insetBottom: 2,
          }),
          Plot.text(data, {
            x: 'reports',
            y: 'label',
            text: (row: { readonly reports: number }) => showShare(total === 0 ? 0 : row.reports / total),
            textAnchor: 'start',
            dx: 5,
            fill: 'var(--soft)',
          }),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        ],
      }),
    [data, total],
  );
  const late = lateReports(delays);
  return (
    <Chart
      title={t('delay')}
      says={t('delay-meaning', { share: showShare(total === 0 ? 0 : late / total) })}
      legend={
        <Legend
          entries={[
            { label: t('in-time'), mark: 'series-2' },
            { label: t('delay-late'), mark: 'series-5' },
          ]}
        />
      }
      draw={draw}
      table={{
        columns: [t('delay'), t('reports'), t('share')],
        rows: data.map(({ label, reports }) => [
          label,
          showCount(reports),
          showShare(total === 0 ? 0 : reports / total),
        ]),
      }}
    />
  );
}

function labelOf({ from, to }: Delay): string {
  if (from === null) return t('delay-before');
  if (to === null) return t('delay-over', { from: showSeconds(from) });
  return t(from === 0 ? 'delay-under' : 'delay-to', { to: showSeconds(to) });
}
