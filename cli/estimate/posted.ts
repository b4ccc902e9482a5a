import {
  campaignsOf,
  columnsOf,
  slicesBy,
  type CampaignView,
  type SummarySlice,
} from '../../analysis/estimate/result/campaigns';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result/result-json';
import { CellError } from '../../analysis/simulation/cells';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';

/** The files with the sums of other kinds of reports. */
export interface PostedFiles {
  /** The output of `aggregate --tree --slices`. */
  readonly summary?: string;
  /** The output of `aggregate w3c --buckets --slices`. */
  readonly histogram?: string;
  /** Rows have no place for these sums. */
  readonly output?: string;
}

/** Sums by the first column of the groups. */
export interface Posted {
  readonly slices: ReadonlyMap<string, SummarySlice>;
  readonly histogram: ReadonlyMap<string, SummarySlice>;
}

/**
 * Reads the files that are given; null if none is.
 * @param column by which there are groups
 * @throws InputError
 */
export async function readPosted(
  { summary, histogram, output }: PostedFiles,
  column: string | undefined,
): Promise<Posted | null> {
  const given = summary === undefined ? (histogram === undefined ? null : '--histogram') : '--summary';
  if (given === null) return null;
  if (column === undefined || output !== undefined)
    throw new InputError(`estimate: ${given}: must come with groups (--group-by), and without --output`);
  return {
    slices: summary === undefined ? new Map() : await slicesIn(summary, column),
    histogram: histogram === undefined ? new Map() : await slicesIn(histogram, column),
  };
}

const wanted = ['slice', 'consistent', 'consistent_error', 'consistent_low', 'consistent_high'];

async function slicesIn(file: string, column: string): Promise<ReadonlyMap<string, SummarySlice>> {
  const all: SummarySlice[] = [];
  for await (const { place, cells } of eachRow(new InputFiles([file]), { wanted })) {
    const slice = cells('slice');
    if (slice === '') continue;
    const number = (name: string): number => {
      const cell = cells(name);
      const value = cell === '' ? NaN : Number(cell);
      if (Number.isFinite(value)) return value;
      throw new InputError(`${place}: ${new CellError(name, 'a number', cell).message}`);
    };
    all.push({
      slice,
      estimate: number('consistent'),
      error: number('consistent_error'),
      low: number('consistent_low'),
      high: number('consistent_high'),
    });
  }
  const found = slicesBy(all, column);
  if (found.size > 0) return found;
  const has = all.length === 0 ? 'no slices' : `slices by ${columnsOf(all).join(', ')}`;
  throw new InputError(
    `${file}: must have slices by ${column}, has ${has}; make it with cointoss aggregate and --slices ${column}`,
  );
}

/** The groups of the first column with the numbers of all kinds of reports, as the collector's dashboard has them. */
export function viewOf(result: EstimateResult, { slices, histogram }: Posted): CampaignView {
  const { read, repeated, used } = result.sources;
  return campaignsOf({
    estimates: resultJson(result),
    truth: null,
    slices,
    histogram,
    // A summary report counts the conversions of sources that are left out, too.
    logged: used === read - repeated ? new Map() : null,
  });
}
