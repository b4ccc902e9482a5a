import { greatest, least } from '../../../../numeric/extremes';
import * as Plot from '@observablehq/plot';
import type { JSX } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import type { Statistics } from '../../../store/statistics';
import { Chart, Legend } from '../chart';
import { t } from '../language';
import { insideOf, showCount, showDay, showHour, showMonth, showTick, showUnit } from '../words';

interface Properties {
  readonly statistics: Statistics;
  readonly group: string;
  readonly nameOf: (group: string) => string;
}

/** In pixels, of which an hour in English takes most. */
const TICK_WIDTH = 120;

const OTHERS = t('all-others');
const UNLOGGED = t('not-logged');

/** Reports by arrival time, stacked by group. */
export function OverTime({ statistics, group, nameOf }: Properties): JSX.Element {
  const { overTime, unit } = statistics;
  const data = useMemo(
    () =>
      overTime.map(({ start, group: of, other, reports }) => ({
        start,
        series: of === null ? (other ? OTHERS : UNLOGGED) : nameOf(of),
        reports,
      })),
    [overTime, nameOf],
  );
  const series = useMemo(() => seriesOf(statistics, data, nameOf), [statistics, data, nameOf]);

  const draw = useCallback(
    (width: number) =>
      Plot.plot({
        className: 'plot',
        width,
        height: 260,
        marginLeft: 44,
        marginRight: 12,
        x: {
          ...{ type: 'utc', label: null, domain: domainOf(data, unit) },
          ...{ tickFormat: tickOf(unit), tickSpacing: TICK_WIDTH },
        },
        y: { grid: true, label: null, tickFormat: showTick, ticks: 5 },
        color: { domain: series.map(({ label }) => label), range: series.map(({ color }) => color) },
        marks: [
          Plot.rectY(
            data,
            Plot.stackY({
              x: 'start',
              interval: unit,
              y: 'reports',
              fill: 'series',
              order: series.map(({ label }) => label),
              title: ({ start, series: name, reports }: (typeof data)[number]) =>
                t('tip-reports', { series: name, when: showUnit[unit](start), count: reports }),
              tip: { fill: 'var(--surface)', stroke: 'var(--line-strong)' },
            }),
          ),
          Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
        ],
      }),
    [data, series, unit],
  );

  const total = data.reduce((sum, { reports }) => sum + reports, 0);
  return (
    <Chart
      title={t('over-time-title')}
      says={t('over-time-meaning', { count: total, unit, property: insideOf(group) })}
      legend={<Legend entries={series.map(({ label, mark }) => ({ label, mark }))} />}
      draw={draw}
      table={tableOf(data, series, unit)}
    />
  );
}

/** Hours within a day, and days that begin. */
const tickOf =
  (unit: Statistics['unit']) =>
  (time: Date): string =>
    unit === 'month' ? showMonth(time) : (time.getUTCHours() === 0 ? showDay : showHour)(time);

const lengths = { hour: 3_600_000, day: 86_400_000, month: 31 * 86_400_000 } as const;

/** Limits the width of bars when there are few. */
const LEAST_UNITS = 24;

/** From the first unit to the end of the last, padded on both sides if that is short. */
function domainOf(
  data: readonly { readonly start: Date }[],
  unit: Statistics['unit'],
): readonly [Date, Date] {
  const times = data.map(({ start }) => start.getTime());
  const [first, end] = [least(times), greatest(times) + lengths[unit]];
  const room = Math.max(0, (LEAST_UNITS * lengths[unit] - (end - first)) / 2);
  return [new Date(first - room), new Date(end + room)];
}

interface Series {
  readonly label: string;
  readonly mark: string;
  readonly color: string;
}

/** The groups to draw, largest first. Each keeps its colour. */
function seriesOf(
  { groups }: Statistics,
  data: readonly { readonly series: string }[],
  nameOf: (group: string) => string,
): readonly Series[] {
  const present = new Set(data.map(({ series }) => series));
  const named = groups
    .flatMap(({ group }) => (group === null ? [] : [nameOf(group)]))
    .filter((name) => present.has(name));
  return [
    ...named.map((label, index) => ({
      label,
      mark: `series-${index + 1}`,
      color: `var(--series-${index + 1})`,
    })),
    ...[OTHERS, UNLOGGED].flatMap((label, index) =>
      present.has(label)
        ? [{ label, mark: `series-rest-${index + 1}`, color: `var(--series-rest-${index + 1})` }]
        : [],
    ),
  ];
}

function tableOf(
  data: readonly { readonly start: Date; readonly series: string; readonly reports: number }[],
  series: readonly Series[],
  unit: Statistics['unit'],
): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const byStart = new Map<number, Map<string, number>>();
  for (const { start, series: name, reports } of data) {
    const row = byStart.get(start.getTime()) ?? new Map<string, number>();
    row.set(name, (row.get(name) ?? 0) + reports);
    byStart.set(start.getTime(), row);
  }
  return {
    columns: [t('unit', { unit }), ...series.map(({ label }) => label)],
    rows: [...byStart]
      .sort(([a], [b]) => a - b)
      .map(([start, row]) => [
        showUnit[unit](start),
        ...series.map(({ label }) => showCount(row.get(label) ?? 0)),
      ]),
  };
}
