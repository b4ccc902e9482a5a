import type { AnalysedGroup, AnalysisOptions } from '../../analysis/estimate/result/analysis';
import { partOfNoise } from '../../analysis/estimate/result/campaigns';
import {
  byRank,
  comparedTotals,
  notesOf,
  type ComparedTotal,
} from '../../analysis/estimate/result/comparison';
import type { Quantity } from '../../analysis/estimate/quantities/quantities';
import { tiedNames } from '../../analysis/estimate/intervals/ranks';
import { isBounded, type EstimateResult } from '../../analysis/estimate/result/result-json';
import { campaignLines } from './campaign-table';
import { aligned } from '../io/aligned';
import { estimateOf, inBrief, intervalOf, percent } from './cells';
import { viewOf, type Posted } from './posted';
import { noteText, ALIKE_SOURCES, ranksMeaning, rankText, tiedLines } from './rank-lines';

/**
 * Each group with its conversions over all configurations, and how it compares with the others.
 * @param posted what other kinds of reports say of the groups of the first column; null: nothing
 */
export function totalLines(result: EstimateResult, posted: Posted | null): readonly string[] {
  const {
    configurations,
    groupBy,
    options: { level, randomness },
  } = result;
  const totals = comparedTotals(configurations, level);
  const interval = `${inBrief(level * 100)} % interval`;
  const header = [
    '',
    'sources',
    'conversions',
    interval,
    'conversion rate',
    interval,
    'uncertain by noise',
    'rank',
  ];
  const hasValues = totals.some(({ values }) => values !== null);
  const valued = hasValues ? ['sum of values', interval, 'average value', interval, 'of sources'] : [];
  return ['', ...groupBy].flatMap((column, depth) => {
    if (depth === 1 && posted !== null) return campaignLines(viewOf(result, posted), column, level);
    const groups = totals.filter(({ group }) => group.length === depth);
    const rows = [...groups].sort(byRank);
    const by = depth === 0 ? '' : ` by ${groupBy.slice(0, depth).join(' and ')}`;
    return [
      `Conversions${by}, over all configurations:`,
      ...aligned([
        [...header, ...valued],
        ...rows.map((row) => [...totalCells(row, randomness), ...(hasValues ? valueCells(row) : [])]),
      ]).map((line) => `  ${line}`),
      ...rows.flatMap((row) => notesOf(row, groups).map((note) => `  ${nameOf(row)}: ${noteText(note)}`)),
      ...(randomness !== 'noise' && rows.some((row) => noisePart(row) === null) ? [ALIKE_SOURCES] : []),
      ...rankLines(groups, level),
      '',
    ];
  });
}

const nameOf = ({ group }: Pick<AnalysedGroup, 'group'>): string =>
  group.length === 0 ? 'all' : group.join(', ');

function totalCells(total: ComparedTotal, randomness: AnalysisOptions['randomness']): string[] {
  const { covered, sources, estimates, rank } = total;
  const cells = (kind: Quantity['kind']): [string, string] => {
    const found = estimates.find(({ quantity }) => quantity.kind === kind);
    // Of some sources only, it would be taken for that of all.
    return found === undefined || (kind === 'conversion-rate' && covered < sources)
      ? ['–', '–']
      : [estimateOf(found), intervalOf(found)];
  };
  return [
    nameOf(total),
    covered === sources ? String(sources) : `${covered} of ${sources}`,
    ...cells('conversions'),
    ...cells('conversion-rate'),
    randomness === 'noise' ? '–' : shareIn(noisePart(total)),
    rankText(rank),
  ];
}

const shareIn = (share: number | null | undefined): string => (share == null ? '–' : percent(share));

/** How much of the rate's uncertainty is noise; null: unknown. Undefined: the rate is not known of all sources. */
function noisePart({ covered, sources, estimates }: ComparedTotal): number | null | undefined {
  const rate = estimates.find(({ quantity }) => quantity.kind === 'conversion-rate')?.estimate;
  return rate === undefined || covered < sources || !isBounded(rate.interval) ? undefined : partOfNoise(rate);
}

/** The cells of the sources that report values or the buckets of sums, with or without a conversion. */
function valueCells({ values }: ComparedTotal): string[] {
  if (values === null) return ['–', '–', '–', '–', '–'];
  const { sources, sum, average } = values;
  return [...[sum, average].flatMap((of) => [estimateOf(of), intervalOf(of)]), String(sources)];
}

/** What ranks mean, and which groups are tied. */
function rankLines(groups: readonly ComparedTotal[], level: number): readonly string[] {
  const ranked = groups.filter(({ rank }) => rank !== null).sort(byRank);
  if (ranked.length === 0) return [];
  const ties = tiedNames(ranked.map((one) => ({ name: nameOf(one), compared: one.compared })));
  return [
    ...ranked.flatMap((one, place) => tiedLines(nameOf(one), one.rank, ties[place] ?? [])),
    ranksMeaning(ranked.length, level),
  ];
}
