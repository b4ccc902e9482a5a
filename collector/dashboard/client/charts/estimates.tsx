import { greatest, least } from '../../../../numeric/extremes';
import * as Plot from '@observablehq/plot';
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { Chart, Legend } from '../chart';
import { factsOf, numbersOf, type EstimateRow } from '../estimate-words';
import { t } from '../language';
import { showEstimate, showShare } from '../words';

interface Properties {
  readonly title: string;
  readonly of: string;
  readonly says: string;
  readonly each: string;
  readonly rows: readonly EstimateRow[];
  readonly shares: boolean;
  /** If not null, shows observed counts as bars, with a line at the count that noise alone gives. */
  readonly floor?: number | null;
}

const ROW = 26;

/** Observed counts beside the estimates with their intervals. */
export function Estimates({ title, of, says, each, rows, shares, floor = null }: Properties): JSX.Element {
  const draw = useCallback(
    (width: number) => drawEstimates(width, rows, shares, floor),
    [rows, shares, floor],
  );
  const hasTruth = rows.some(({ truth }) => truth != null);
  const hasLikely = rows.some(({ estimate }) => estimate.likelihood !== undefined);
  const hasRaw = rows.some(({ estimate }) => estimate.observed !== null);
  return (
    <Chart
      title={title}
      of={of}
      says={says}
      legend={
        <Legend
          entries={[
            { label: t('mark-estimate'), mark: 'estimate' },
            { label: t('mark-interval'), mark: 'interval' },
            ...(hasTruth ? [{ label: t('mark-truth'), mark: 'truth' }] : []),
            ...(hasLikely ? [{ label: t('mark-likely'), mark: 'likely' }] : []),
            ...(floor === null
              ? hasRaw
                ? [{ label: t('mark-raw'), mark: 'raw' }]
                : []
              : [
                  { label: t('mark-raw'), mark: 'raw-bar' },
                  { label: t('mark-floor'), mark: 'floor' },
                ]),
          ]}
        />
      }
      draw={draw}
      table={numbersOf(each, rows, shares)}
    />
  );
}

/** The mark of the truth. */
const upright = {
  draw: (context: CanvasPath, length: number): void => {
    context.moveTo(0, 0);
    context.lineTo(0, -length);
  },
};

/** In pixels: an upper bound for the mean width of letters of this size. */
const LETTER_WIDTH = 6.6;
const LABEL_GAP = 12;
const TICK_WIDTH = 80;

const shortened = (label: string, letters: number): string =>
  label.length <= letters ? label : `${label.slice(0, Math.max(1, Math.floor(letters) - 1))}…`;

/** The range of all values and 0. It is never so narrow that a rounding error fills it: at least one conversion, or one in a thousand. */
function domainOf(
  data: readonly {
    readonly observed: number | null;
    readonly estimate: number | null;
    readonly low: number | null;
    readonly high: number | null;
  }[],
  likely: readonly { readonly low: number; readonly high: number }[],
  happened: readonly { readonly truth: number }[],
  shares: boolean,
): readonly [number, number] {
  const all = [
    ...data.flatMap(({ observed, estimate, low, high }) =>
      [observed, estimate, low, high].map((value) => value ?? 0),
    ),
    ...likely.flatMap(({ low, high }) => [low, high]),
    ...happened.map(({ truth }) => truth),
  ].filter(Number.isFinite);
  return [Math.min(0, least(all)), Math.max(shares ? 0.001 : 1, greatest(all))];
}

function drawEstimates(
  width: number,
  rows: readonly EstimateRow[],
  shares: boolean,
  floor: number | null,
): Element {
  const data = rows.map(({ label, estimate: of }) => {
    const { observed, estimate, interval } = of;
    const [low, high] = [interval[0] ?? estimate, interval[1] ?? estimate];
    // Without an estimate, the tip is at the middle of the interval.
    const tipAt = estimate ?? ((low ?? 0) + (high ?? 0)) / 2;
    return {
      label,
      observed,
      estimate,
      low,
      high,
      tipAt,
      tip: `${label}\n${t('tip-estimate', factsOf(of))}`,
    };
  });
  const likely = rows.flatMap(({ label, estimate: { likelihood } }) =>
    likelihood === undefined
      ? []
      : [{ label, value: likelihood.estimate, low: likelihood.interval[0], high: likelihood.interval[1] }],
  );
  const happened = rows.flatMap(({ label, truth }) => (truth == null ? [] : [{ label, truth }]));
  const longest = Math.max(greatest(data.map(({ label }) => label.length)), 4);
  const marginLeft = Math.min(Math.max(60, longest * LETTER_WIDTH + LABEL_GAP), width * 0.45);
  return Plot.plot({
    className: 'plot',
    width,
    height: 44 + data.length * ROW,
    marginTop: 8,
    marginLeft,
    marginRight: 24,
    x: {
      grid: true,
      label: null,
      domain: domainOf(data, likely, happened, shares),
      nice: true,
      ticks: Math.max(2, Math.min(6, Math.floor((width - marginLeft) / TICK_WIDTH))),
      tickFormat: (value: number) => (shares ? showShare : showEstimate)(value),
    },
    y: {
      label: null,
      domain: data.map(({ label }) => label),
      type: 'point',
      padding: 0.6,
      tickFormat: (label: string) => shortened(label, (marginLeft - LABEL_GAP) / LETTER_WIDTH),
    },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
      ...(floor === null
        ? []
        : [Plot.ruleY(data, { y: 'label', x1: 0, x2: 'observed', stroke: 'var(--raw)', strokeWidth: 16 })]),
      Plot.ruleY(data, { y: 'label', x1: 'low', x2: 'high', stroke: 'var(--interval)', strokeWidth: 8 }),
      floor === null
        ? Plot.dot(data, { y: 'label', x: 'observed', r: 5, stroke: 'var(--soft)', strokeWidth: 1.5 })
        : Plot.ruleX([floor], { stroke: 'var(--series-5)', strokeWidth: 1.5, strokeDasharray: '4 3' }),
      Plot.dot(data, { y: 'label', x: 'estimate', r: 4, fill: 'var(--series-1)' }),
      Plot.ruleY(likely, { y: 'label', x1: 'low', x2: 'high', stroke: 'var(--series-3)', strokeWidth: 1.5 }),
      Plot.dot(likely, {
        y: 'label',
        x: 'value',
        r: 5,
        symbol: 'diamond',
        stroke: 'var(--series-3)',
        strokeWidth: 1.5,
      }),
      Plot.vector(happened, { y: 'label', x: 'truth', stroke: 'var(--ink)', length: 18, shape: upright }),
      Plot.tip(
        data,
        Plot.pointerY({
          y: 'label',
          x: 'tipAt',
          fill: 'var(--surface)',
          stroke: 'var(--line-strong)',
          title: 'tip',
        }),
      ),
    ],
  });
}
