import type { Source } from '../../src/model/records';
import { byRank } from '../../src/store/draft';
import { candidateKeysOf } from '../../src/store/store';

const NONE: readonly Source[] = [];

/** The sources of each candidate key, kept in their order, so that a conversion need not sort them. */
export class Candidates {
  /** Best last: a new source is mostly the best, and is put at the end. */
  private readonly byKey = new Map<string, Source[]>();
  /** What `at` gave out, until it changes: most conversions of a busy destination change none of its candidates. */
  private readonly given = new Map<string, readonly Source[]>();

  /** Best first. A later change makes another list. */
  at(key: string): readonly Source[] {
    const before = this.given.get(key);
    if (before !== undefined) return before;
    const sources = this.byKey.get(key);
    if (sources === undefined) return NONE;
    const bestFirst = [...sources].reverse();
    this.given.set(key, bestFirst);
    return bestFirst;
  }

  /** @param before undefined: it is new; @param source undefined: it has gone */
  change(before: Source | undefined, source: Source | undefined): void {
    if (before !== undefined) for (const key of candidateKeysOf(before)) this.remove(key, before);
    if (source !== undefined) for (const key of candidateKeysOf(source)) this.add(key, source);
  }

  private add(key: string, source: Source): void {
    this.given.delete(key);
    const sources = this.byKey.get(key);
    if (sources === undefined) this.byKey.set(key, [source]);
    else sources.splice(placeOf(sources, source), 0, source);
  }

  private remove(key: string, source: Source): void {
    this.given.delete(key);
    const sources = this.byKey.get(key);
    if (sources === undefined) return;
    const place = placeOf(sources, source);
    if (sources[place]?.id === source.id) sources.splice(place, 1);
    if (sources.length === 0) this.byKey.delete(key);
  }
}

/** Where the source is, or belongs. */
function placeOf(sources: readonly Source[], source: Source): number {
  let [low, high] = [0, sources.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sources[middle];
    if (other !== undefined && byRank(other, source) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
