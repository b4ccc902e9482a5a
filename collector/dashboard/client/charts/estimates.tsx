import { greatest, least } from '../../../../numeric/extremes';
import * as Plot from '@observablehq/plot';
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import type { EstimateJson } from '../../../../analysis/estimate/group-result';
import { Chart, Legend } from '../chart';
import { t } from '../language';
import { showEstimate, showRate, showShare } from '../words';

export interface EstimateRow {
  readonly label: string;
  readonly estimate: EstimateJson;
  /** What happened, if known. */
  readonly truth?: number | null;
}

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
  const show = shares ? showRate : showEstimate;
  const hasTruth = rows.some(({ truth }) => truth != null);
  const hasLikely = rows.some(({ estimate }) => estimate.likelihood !== undefined);
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
              ? [{ label: t('mark-raw'), mark: 'raw' }]
              : [
                  { label: t('mark-raw'), mark: 'raw-bar' },
                  { label: t('mark-floor'), mark: 'floor' },
                ]),
          ]}
        />
      }
      draw={draw}
      table={{
        columns: [
          each,
          t('raw'),
          t('estimate'),
          t('interval-from'),
          t('interval-to'),
          t('expected-noise'),
          ...(hasTruth ? [t('truth')] : []),
          ...(hasLikely ? [t('likely'), t('interval-from'), t('interval-to')] : []),
        ],
        rows: rows.map(({ label, estimate, truth }) => [
          label,
          ...[estimate.observed, estimate.estimate, ...estimate.interval].map((value) =>
            show(value, estimate.interval),
          ),
          showShare(estimate.noise_share),
          ...(hasTruth ? [truth == null ? '–' : show(truth, estimate.interval)] : []),
          ...(hasLikely ? likelyCells(estimate, show) : []),
        ]),
      }}
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

const likelyCells = ({ likelihood }: EstimateJson, show: typeof showEstimate): readonly string[] =>
  likelihood === undefined
    ? ['–', '–', '–']
    : [likelihood.estimate, ...likelihood.interval].map((value) => show(value, likelihood.interval));

function drawEstimates(
  width: number,
  rows: readonly EstimateRow[],
  shares: boolean,
  floor: number | null,
): Element {
  const data = rows.map(({ label, estimate: { observed, estimate, interval } }) => ({
    label,
    observed,
    estimate,
    low: interval[0] ?? estimate,
    high: interval[1] ?? estimate,
  }));
  const likely = rows.flatMap(({ label, estimate: { likelihood } }) =>
    likelihood === undefined
      ? []
      : [{ label, value: likelihood.estimate, low: likelihood.interval[0], high: likelihood.interval[1] }],
  );
  const happened = rows.flatMap(({ label, truth }) => (truth == null ? [] : [{ label, truth }]));
  const longest = Math.max(greatest(data.map(({ label }) => label.length)), 4);
  const show = shares ? showRate : showEstimate;
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
          x: 'estimate',
          fill: 'var(--surface)',
          stroke: 'var(--line-strong)',
          title: ({ label, observed, estimate, low, high }: (typeof data)[number]) => {
            const shown = (value: number | null): string => show(value, [low, high]);
            return `${label}\n${t('tip-estimate', { estimate: shown(estimate), low: shown(low), high: shown(high), raw: shown(observed) })}`;
          },
        }),
      ),
    ],
  });
}
