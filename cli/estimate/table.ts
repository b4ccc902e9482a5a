import type {
  AnalysedEstimate,
  AnalysedGroup,
  Analysis,
  AnalysisOptions,
} from '../../analysis/estimate/result/analysis';
import type { Quantity } from '../../analysis/estimate/quantities/quantities';
import { countsConversions } from '../../analysis/estimate/result/totals';
import { noiseShare, type EstimateResult } from '../../analysis/estimate/result/result-json';
import type { TriggerSpec } from '../../src/model/registration';
import { trueReports } from '../../analysis/audit/true-reports';
import { mismatchValues, type Mismatch } from '../../analysis/estimate/unbiased/mismatch';
import { lostReportsOf, lostValues, unseenLosses } from '../../analysis/estimate/result/lost-reports-json';
import { unknownLosses, type LostFit } from '../../analysis/estimate/unbiased/lost-reports';
import { lossesWithWindows, lostByClocks } from '../../analysis/estimate/result/unjoined';
import { shortfallValues } from '../../analysis/estimate/unbiased/shortfall';
import { estimates as messages } from '../../words/english/estimates';
import { sayer } from '../../words/say';
import { aligned } from '../io/aligned';
import { duration, estimateOf, inBrief, intervalOf, percent, shown } from './cells';
import type { Posted } from './posted';
import { totalLines } from './totals-table';

const say = sayer('en', messages);

/**
 * The result as tables for people, line by line.
 * @param posted what other kinds of reports say of the groups of the first column
 */
export function resultTable(result: EstimateResult, posted: Posted | null = null): readonly string[] {
  const { options, groupBy, configurations } = result;
  const lines: string[] = [];
  for (const { tally, analysis } of configurations) {
    const { configuration } = tally;
    const { replaceProbability, outputs, hidden } = analysis.estimator;
    const rate =
      replaceProbability === null
        ? ''
        : `; chance decides what ${percent(replaceProbability)} of them report`;
    lines.push(
      `Configuration ${tally.name}: ${configuration.mechanism.kind}, ε = ${inBrief(configuration.epsilon)}, ${outputs} outputs${rate}`,
    );
    lines.push(`  ${say('true-reports', trueReports(configuration.epsilon))}`);
    if (analysis.shortfall !== null && analysis.lost?.fits !== true)
      lines.push(`  Warning: ${say('shortfall', shortfallValues(analysis.shortfall))}`);
    const mismatch = mismatchText(analysis.mismatches, groupBy);
    if (mismatch !== null) lines.push(`  Refused: ${mismatch}`);
    if (analysis.lost !== null) for (const line of lostLines(analysis.lost, groupBy)) lines.push(`  ${line}`);
    const unknown = unknownLosses({
      mechanism: configuration.mechanism.kind,
      lost: analysis.lost,
      isRefused: analysis.shortfall !== null || mismatch !== null,
      replaced: replaceProbability,
      observed: reportsOf(analysis),
    });
    if (unknown !== null) lines.push(`  ${say('losses-unknown', { ...unknown, share: 'statable' })}`);
    if (analysis.fits === false) lines.push(`  Warning: ${say('misfit', {})}`);
    if (hidden.length > 0) lines.push(`  Hidden by the mechanism: ${hidden.map(quantityName).join('; ')}`);
    const nameOf = quantityNames(configuration.shape.triggerSpecs);
    for (const group of withoutRepetition(analysis.groups))
      for (const line of groupLines(group, groupBy, options, nameOf, unknown === null)) lines.push(line);
    lines.push('');
  }
  const totals = configurations.length > 1 || groupBy.length > 0 ? totalLines(result, posted) : [];
  return [...totals, ...lines, ...countLines(result)];
}

export const otherRatesText = ({ used, other_rate: other }: EstimateResult['reports']): string =>
  say('other-rates', { used, other });

/** Null if nearly all reports fit the windows of their sources, or if the estimates make up for those that do not. */
export function clocksText({ reports, configurations }: EstimateResult): string | null {
  const lost = lostByClocks(reports, lossesWithWindows(configurations));
  if (lost === null) return null;
  return say('clocks-lost', {
    ...lost,
    share: 'statable',
    option: `--lost ${lost.missing}/${lost.expected}`,
  });
}

/** How many reports arrived, including those that are noise. */
const reportsOf = ({ groups }: Analysis): number | null =>
  groups[0]?.estimates.find(({ quantity }) => quantity.kind === 'conversions')?.estimate.observed ?? null;

const lostText = (lost: LostFit, groupBy: readonly string[]): string =>
  say('lost-reports', lostValues(lostReportsOf(lost, groupBy)));

function lostLines(lost: LostFit, groupBy: readonly string[]): readonly string[] {
  const unseen = unseenLosses(lostReportsOf(lost, groupBy));
  return [lostText(lost, groupBy), ...(unseen === null ? [] : [say('unseen-losses', unseen)])];
}

/** What contradicts the stated noise or the losses of reports, so that estimates of a configuration are withheld; null if nothing does. */
export function contradictionOf(
  { mismatches, shortfall, lost }: Analysis,
  groupBy: readonly string[],
): string | null {
  const mismatch = mismatchText(mismatches, groupBy);
  if (mismatch !== null) return mismatch;
  if (lost !== null) return lost.fits ? null : lostText(lost, groupBy);
  return shortfall === null ? null : say('shortfall', shortfallValues(shortfall));
}

/** What cannot come from the stated noise; null if nothing. */
function mismatchText(mismatches: readonly Mismatch[], groupBy: readonly string[]): string | null {
  const [first] = mismatches;
  if (first === undefined) return null;
  const { group } = first;
  const title = group.length === 0 ? 'none' : groupTitle(group, groupBy);
  return say('mismatch', mismatchValues(mismatches, title));
}

const groupTitle = (group: readonly string[], groupBy: readonly string[]): string =>
  group.map((value, index) => `${groupBy[index] ?? ''} ${value}`).join(', ');

/** A group that is all of a configuration stands for it, with the estimates of all: a small group has no likelihood. */
function withoutRepetition(groups: readonly AnalysedGroup[]): readonly AnalysedGroup[] {
  const [all, only] = groups;
  return groups.length === 2 && all !== undefined && only !== undefined
    ? [{ ...all, group: only.group }]
    : groups;
}

function groupLines(
  { group, sources, estimates }: AnalysedGroup,
  groupBy: readonly string[],
  { level, likelihood }: AnalysisOptions,
  nameOf: typeof quantityName,
  areLossesKnown: boolean,
): string[] {
  const title = group.length === 0 ? 'all' : groupTitle(group, groupBy);
  const interval = `${inBrief(level * 100)} % interval`;
  const header = ['', 'observed', 'estimate', interval, 'noise share'];
  const rows = estimates.map((row) => [
    ...estimateCells(row, nameOf),
    ...(likelihood ? likelyCells(row) : []),
  ]);
  return [
    '',
    `  ${title}: ${sources} source${sources === 1 ? '' : 's'}${areLossesKnown ? '' : ', if no report was lost'}`,
    ...aligned([likelihood ? [...header, 'likeliest', interval] : header, ...rows]).map(
      (line) => `    ${line}`,
    ),
  ];
}

function estimateCells({ quantity, estimate }: AnalysedEstimate, nameOf: typeof quantityName): string[] {
  const show = shown({ quantity, estimate });
  return [
    nameOf(quantity),
    show(estimate.observed),
    estimateOf({ quantity, estimate }),
    intervalOf({ quantity, estimate }),
    percent(noiseShare(estimate)),
  ];
}

function likelyCells({ quantity, likelihood }: AnalysedEstimate): string[] {
  if (likelihood === null) return ['', ''];
  const likely = { quantity, estimate: likelihood };
  return [shown(likely)(likelihood.estimate), intervalOf(likely)];
}

/** How many lines were used or left out, without counts of 0. */
function countLines({ sources, reports }: EstimateResult): string[] {
  const said = (entries: readonly (readonly [string, number])[]): string =>
    entries.flatMap(([text, count]) => (count === 0 ? [] : [`${count} ${text}`])).join(', ') || 'none';
  const { inconsistent } = reports;
  return [
    `Sources: ${said([
      ['read', sources.read],
      ['used', sources.used],
      ['logged again', sources.repeated],
      ['that reports cannot tell apart', sources.ambiguous],
      ['used, told apart by time from others with their id', sources.reused],
      ['heartbeats, which only show how many reports are lost', sources.heartbeats],
      ['of an unknown configuration', sources.unknown_configuration],
      ['with a report window still open', sources.open],
      ['without the value they should report', sources.missing],
      ['with an output that their mechanism does not have', sources.impossible],
      ['with more reports than browsers send for a source', sources.flooded],
      ['used with a lower summary bucket missing', sources.incomplete],
    ])}`,
    `Reports: ${said([
      ['read', reports.read],
      ['used', reports.used],
      ['duplicates', reports.duplicate],
      ['of a source that is not in the log', reports.unknown_source],
      ['of a source that is not used', reports.unused_source],
      ['with trigger data that their source does not have', inconsistent.trigger_data],
      ['due when no report window of their source ends', inconsistent.window],
      ['with a summary bucket that their source does not have, or has reported', inconsistent.bucket],
      ['more than their source may have', inconsistent.too_many],
      ['with a value that their mechanism does not give, or without one', inconsistent.value],
      ['used that came more than an hour late', reports.late],
      ['used that state another noise rate', reports.other_rate],
      ...Object.entries(reports.other_kinds).map(([kind, count]) => [`left out: ${kind}`, count] as const),
    ])}`,
  ];
}

/** Each report is of a bucket that was reached, which only some specs give to each conversion. */
const quantityNames = (specs: readonly TriggerSpec[]): typeof quantityName =>
  countsConversions(specs)
    ? quantityName
    : (quantity) => (quantity.kind === 'conversions' ? 'buckets reached' : quantityName(quantity));

function quantityName(quantity: Quantity): string {
  switch (quantity.kind) {
    case 'conversion-rate':
      return 'sources with a conversion';
    case 'conversions':
      return 'conversions';
    case 'trigger-data':
      return `trigger data ${quantity.triggerData}`;
    case 'window':
      return `until ${duration(quantity.windowEnd)}`;
    case 'trigger-data-and-window':
      return `trigger data ${quantity.triggerData}, until ${duration(quantity.windowEnd)}`;
    case 'bucket':
      return `trigger data ${quantity.triggerData} at ${quantity.bucket[0]} or more`;
    case 'value':
      return 'value (bucket starts reached)';
    case 'state':
      return `state ${quantity.state}`;
    case 'state-with-share':
      return `state ${quantity.state} and its share of impossible states`;
    case 'label':
      return `value ${quantity.value}`;
    case 'label-with-share':
      return `value ${quantity.value} and its share of impossible values`;
    case 'bin':
      return `values ${quantity.values.join(', ')}`;
    case 'label-sum':
      return 'sum of values';
    case 'average-value':
      return 'average value';
    case 'binned-sum':
      return 'sum of values, by bin means';
  }
}
