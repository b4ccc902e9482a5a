import { decimalsOf } from '../../analysis/estimate/result/decimals';
import { greatest } from '../../numeric/extremes';
import {
  wholeCost,
  type CandidateConfiguration,
  type OptimizeRequest,
  type OptimizeResult,
} from '../../analysis/optimize/optimize';
import { shortNumber } from '../../analysis/optimize/short-number';
import type { OptimizeInput } from './json';

const CHART_WIDTH = 50;

/** The result for people: a table, and the trade-off as a chart of characters. */
export function optimizeTable(input: OptimizeInput, { configurations, best }: OptimizeResult): string {
  const { request } = input;
  return [
    ...whatWasAsked(input),
    '',
    ...table([HEADINGS, ...configurations.map((row) => cells(request, row, row === best))]),
    '',
    `${request.goal === 'total' ? 'Variance of the total' : `Expected ${request.loss} loss of one source's value`}: █ too few buckets, ░ noise`,
    '',
    ...chart(configurations),
    '',
    best === null
      ? `* no configuration fits Chrome's limit for ${request.sourceType} sources; the column "fits" says at which epsilon it would`
      : `* the least ${request.goal === 'total' ? 'error of the total' : 'expected loss'} of what fits`,
  ].join('\n');
}

function whatWasAsked({ request, past, windows }: OptimizeInput): string[] {
  const { epsilon, sourceType, triggerData, sources, windowEnds } = request;
  const wait = windows === null ? '' : `; conversions wait ${Math.round(windows.meanWait)} s on average`;
  const lines = [
    `${sourceType} source, epsilon ${epsilon.toNumber()}, ${triggerData} trigger data, totals over ${sources} sources`,
    `report windows end ${windowEnds.join(', ')} s after the source${wait}`,
  ];
  if (past !== null) lines.push(`past sources: ${past.sources}; conversions too late to count: ${past.late}`);
  return lines;
}

const HEADINGS = [
  ' ',
  'buckets',
  'begin at',
  'windows',
  'states',
  'rate',
  'bits',
  'fits',
  'loss',
  'of it noise',
  'total ±',
  'relative',
  'of it noise',
];

function cells(request: OptimizeRequest, row: CandidateConfiguration, isBest: boolean): string[] {
  return [
    isBest ? '*' : ' ',
    String(row.summaryBuckets.length),
    row.summaryBuckets.join(','),
    String(request.windowEnds.length),
    String(row.states),
    shortNumber(row.randomizedTriggerRate),
    row.channelCapacity.toFixed(Math.max(2, decimalsOf(row.channelCapacity))),
    row.fits ? 'yes' : `ε ≤ ${roundedDown(row.largestEpsilon)}`,
    shortNumber(row.expectedLoss),
    percent(row.expectedLoss === 0 ? 0 : row.noiseLoss / row.expectedLoss),
    shortNumber(row.total.standardDeviation),
    percent(row.total.relative),
    percent(row.total.noiseShare),
  ];
}

/** Rounds down, so that the printed value still fits. */
const roundedDown = (epsilon: number): string => String(Math.floor(epsilon * 1000) / 1000);

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADINGS.map((_, column) => greatest(rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

function chart(configurations: readonly CandidateConfiguration[]): string[] {
  const most = greatest(configurations.map(wholeCost));
  const length = (cost: number): number => (most === 0 ? 0 : Math.round((CHART_WIDTH * cost) / most));
  return configurations.map((row) => {
    const solid = length(row.cost.buckets);
    const bar = '█'.repeat(solid) + '░'.repeat(length(wholeCost(row)) - solid);
    const parts = `${shortNumber(row.cost.buckets)} + ${shortNumber(row.cost.noise)}`;
    return `${String(row.summaryBuckets.length).padStart(9)}  ${bar.padEnd(CHART_WIDTH)}  ${parts}`;
  });
}
