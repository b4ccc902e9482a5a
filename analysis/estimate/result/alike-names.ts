import { withoutDecimals } from '../../../formats/csv/decimals';
import { isGap } from '../../../formats/csv/gap';

/** A log can have any number of alike groups, and of spellings of each. */
const MOST = 3;

/** Names that differ only in how they are written. */
export interface AlikeNames {
  /** The first spellings. */
  readonly names: readonly string[];
  /** How many others there are. */
  readonly more: number;
}

/** The first groups whose names differ only in how they are written, such as `300` and `300.0`: one campaign would be shown as several. */
export function alikeNames(names: Iterable<string>): readonly AlikeNames[] {
  const found = new Map<string, Set<string>>();
  for (const name of names) {
    const key = isGap(name) ? '' : plain(name);
    found.set(key, (found.get(key) ?? new Set()).add(name));
  }
  return [...found.values()]
    .filter(({ size }) => size > 1)
    .slice(0, MOST)
    .map((alike) => ({ names: [...alike].slice(0, MOST), more: Math.max(alike.size - MOST, 0) }));
}

const plain = (name: string): string => withoutDecimals(name.normalize('NFKC').trim().toLowerCase());
