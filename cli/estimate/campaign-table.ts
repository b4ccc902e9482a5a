import {
  isOfAlikeSources,
  type Campaign,
  type CampaignView,
  type Estimated,
} from '../../analysis/estimate/result/campaigns';
import type { Quantity } from '../../analysis/estimate/quantities/quantities';
import { aligned } from '../io/aligned';
import { inBrief, intervalOf, numberOf, percent } from './cells';
import { durations, noteText, ALIKE_SOURCES, ranksMeaning, rankText, tiedLines } from './rank-lines';

const SUMMARY_COVERS =
  'The summary report counts all conversions in its aggregatable reports, also those after the last report window or beyond the limit of their source. Its intervals count noise only.';
const HISTOGRAM_COVERS =
  'The W3C histogram counts conversions that were measured with navigator.attribution and had budget left, and gives credit to the impressions that these calls found. Its intervals count noise only. It decides no rank.';
const SUMMARY_RANKS: Readonly<Record<CampaignView['basis'], string>> = {
  summary:
    'Rates and ranks are of the conversions in the summary report, for each source. Chance is counted as if conversions were independent of each other.',
  'event-level':
    'The summary report decides no rank: it lacks a group, there is only one group, or sources are left out here whose conversions it counts.',
};

/** A column of numbers, beside that of their intervals. */
interface Column {
  readonly heading: string;
  readonly quantity: Extract<Quantity['kind'], 'conversion-rate' | 'conversions'>;
  readonly of: (row: Campaign) => Estimated | null;
  /** Whether its intervals come with it: they have the level of `aggregate`, and count noise only. */
  readonly isNoisy?: boolean;
}

/** Each group of a column with the conversions by all kinds of reports, what these cover, and how the groups compare. */
export function campaignLines(
  { basis, rows }: CampaignView,
  column: string,
  level: number,
): readonly string[] {
  const columns = columnsOf(basis).filter(({ of }) => rows.some((row) => of(row) !== null));
  const interval = `${inBrief(level * 100)} % interval`;
  const header = columns.flatMap(({ heading, isNoisy = false }) => [
    heading,
    isNoisy ? 'its own interval (noise)' : interval,
  ]);
  const ranked = rows.filter(({ rank }) => rank !== null).length;
  const has = (kind: 'summary' | 'histogram'): boolean => rows.some((row) => row[kind] !== null);
  return [
    `Conversions by ${column}, by all kinds of reports:`,
    ...aligned([
      ['', 'rank', ...header, 'uncertain by noise', 'event-level covers', 'values cover'],
      ...rows.map((row) => [
        row.group,
        rankText(row.rank),
        ...columns.flatMap((one) => cellsOf(row, one)),
        ...aboutOf(row),
      ]),
    ]).map((line) => `  ${line}`),
    ...rows.flatMap(({ group, notes }) => notes.map((note) => `  ${group}: ${noteText(note)}`)),
    ...rows.flatMap(({ group, rank, tied }) => tiedLines(group, rank, tied)),
    ...(rows.some(isOfAlikeSources) ? [ALIKE_SOURCES] : []),
    ...(ranked < 2 ? [] : [ranksMeaning(ranked, level)]),
    ...(has('summary') ? [`  ${SUMMARY_COVERS}`, `  ${SUMMARY_RANKS[basis]}`] : []),
    ...(has('histogram') ? [`  ${HISTOGRAM_COVERS}`] : []),
    '',
  ];
}

const columnsOf = (basis: CampaignView['basis']): readonly Column[] => [
  {
    heading: basis === 'summary' ? 'conversions per source, summary' : 'conversion rate',
    quantity: 'conversion-rate',
    of: ({ rate }) => rate,
  },
  { heading: 'conversions, summary', quantity: 'conversions', of: ({ summary }) => summary, isNoisy: true },
  { heading: 'conversions, W3C', quantity: 'conversions', of: ({ histogram }) => histogram, isNoisy: true },
  { heading: 'conversions, event-level', quantity: 'conversions', of: ({ conversions }) => conversions },
  { heading: 'sum of values', quantity: 'conversions', of: ({ values }) => values?.sum ?? null },
  { heading: 'average value', quantity: 'conversions', of: ({ values }) => values?.average ?? null },
];

function cellsOf(row: Campaign, { quantity, of }: Column): readonly string[] {
  const found = of(row);
  if (found === null) return ['–', '–'];
  const numbers = { quantity: { kind: quantity }, estimate: { interval: [found.low, found.high] } } as const;
  return [numberOf(found.value, numbers), intervalOf(numbers)];
}

/** How much of the uncertainty is noise, and of which sources event-level numbers are. */
function aboutOf({ rate, covered, sources, windows, values }: Campaign): readonly string[] {
  const of = covered === sources ? String(sources) : `${covered} of ${sources}`;
  return [
    rate === null || rate.noiseShare === null ? '–' : percent(rate.noiseShare),
    `${of} sources${covered === 0 ? '' : ` until ${durations(windows)}`}`,
    values === null ? '–' : `${values.sources} sources`,
  ];
}
