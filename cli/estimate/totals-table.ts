import type { AnalysedGroup, AnalysisOptions } from '../../analysis/estimate/analysis';
import {
  byRank,
  comparedTotals,
  notesOf,
  type ComparedTotal,
  type UnrankedNote,
} from '../../analysis/estimate/comparison';
import type { Quantity } from '../../analysis/estimate/quantities';
import { areTied, pairLevel, pairsOf } from '../../analysis/estimate/ranks';
import { shownEstimate, type EstimateResult } from '../../analysis/estimate/result-json';
import { estimates as messages } from '../../words/english/estimates';
import { sayer } from '../../words/say';
import { aligned, duration, inBrief, intervalOf, percent, shown } from './cells';

const say = sayer('en', messages);

/** Each group with its conversions over all configurations, and how it compares with the others. */
export function totalLines({
  configurations,
  groupBy,
  options: { level, randomness },
}: EstimateResult): readonly string[] {
  const totals = comparedTotals(configurations, level);
  const interval = `${inBrief(level * 100)} % interval`;
  const header = [
    '',
    'sources',
    'conversions',
    interval,
    'conversion rate',
    interval,
    'due to noise',
    'rank',
  ];
  const hasValues = totals.some(({ values }) => values !== null);
  const valued = hasValues ? ['sum of values', interval, 'average value', interval, 'of sources'] : [];
  return ['', ...groupBy].flatMap((_, depth) => {
    const groups = totals.filter(({ group }) => group.length === depth);
    const rows = [...groups].sort(byRank);
    const by = depth === 0 ? '' : ` by ${groupBy.slice(0, depth).join(' and ')}`;
    return [
      `Conversions${by}, over all configurations:`,
      ...aligned([
        [...header, ...valued],
        ...rows.map((row) => [...totalCells(row, randomness), ...(hasValues ? valueCells(row) : [])]),
      ]).map((line) => `  ${line}`),
      ...rows.flatMap((row) =>
        notesOf(row, groups).map((note) => `  ${nameOf(row)}: ${say(note.id, noteValues(note))}`),
      ),
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
      : [shown(found)(shownEstimate(found.estimate)), intervalOf(found)];
  };
  const rate = estimates.find(({ quantity }) => quantity.kind === 'conversion-rate')?.estimate;
  return [
    nameOf(total),
    covered === sources ? String(sources) : `${covered} of ${sources}`,
    ...cells('conversions'),
    ...cells('conversion-rate'),
    rate === undefined || covered < sources || randomness === 'noise'
      ? '–'
      : percent(Math.min(1, rate.noiseVariance / rate.variance)),
    rank === null ? '–' : rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`,
  ];
}

/** Of the sources that report one value each, conversion or not. */
function valueCells({ values }: ComparedTotal): string[] {
  if (values === null) return ['–', '–', '–', '–', '–'];
  const { sources, sum } = values;
  const total = shownEstimate(sum.estimate);
  const [low, high] = sum.estimate.interval;
  const average = { ...sum, estimate: { interval: [low / sources, high / sources] as const } };
  const averages = [shown(average)(total / sources), intervalOf(average)];
  return [shown(sum)(total), intervalOf(sum), ...averages, String(sources)];
}

function noteValues(note: UnrankedNote): Readonly<Record<string, string | number>> {
  if (note.id !== 'unranked-windows') return { ...note };
  const durations = (ends: readonly number[]): string => ends.map(duration).join(' or ');
  return { windows: durations(note.windows), usual: durations(note.usual) };
}

/** What ranks mean, and which groups are tied. */
function rankLines(groups: readonly ComparedTotal[], level: number): readonly string[] {
  const ranked = groups.filter(({ rank }) => rank !== null).sort(byRank);
  if (ranked.length === 0) return [];
  const ties = ranked.flatMap((one) => {
    const tied = ranked.filter((other) => other !== one && isTied(one, other)).map(nameOf);
    return tied.length === 0 ? [] : [`  ${nameOf(one)}: tied with ${listed(tied)}`];
  });
  const probability = (share: number): string => `${inBrief(share * 100)} %`;
  return [
    ...ties,
    `  ${say('ranks-meaning', {
      pairs: pairsOf(ranked.length),
      level: probability(level),
      pairLevel: probability(pairLevel(level, ranked.length)),
    })}`,
  ];
}

const isTied = (a: ComparedTotal, b: ComparedTotal): boolean =>
  a.compared !== null && b.compared !== null && areTied(a.compared, b.compared);

const MOST_NAMES = 5;

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} others`;
