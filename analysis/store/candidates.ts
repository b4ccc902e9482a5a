import type { Source } from '../../src/model/records';
import { bySourceRank, takesConversions } from '../../src/store/draft';
import { candidateKeysOf } from '../../src/store/rows';

const NONE: readonly Source[] = [];

/** The sources with one candidate key. */
interface Listed {
  /** Best last: a new source is mostly the best, and is put at the end. */
  readonly sources: Source[];
  /** Without forgotten ones, best first, as they were given out; null: they have changed since. Most conversions change none. */
  given: readonly Source[] | null;
  /** None expires sooner. */
  soonest: number;
}

/** The sources of each candidate key, kept in their order, so that a conversion need not sort them. */
export class Candidates {
  private readonly byKey = new Map<string, Listed>();

  /** See `View.candidates`. A later change makes another list. */
  at(key: string, now?: number): readonly Source[] {
    const listed = this.byKey.get(key);
    if (listed === undefined) return NONE;
    if (now === undefined) return [...listed.sources].reverse();
    const all = (listed.given ??= listed.sources
      .filter((source) => takesConversions(source, -Infinity))
      .reverse());
    if (listed.soonest > now) return all;
    const left = all.filter((source) => takesConversions(source, now));
    // What expired was deleted before.
    if (left.length === all.length) listed.soonest = soonestOf(all);
    return left;
  }

  /** Takes a change of a source. @param before undefined: it is new; @param source undefined: it has gone */
  change(before: Source | undefined, source: Source | undefined): void {
    if (before !== undefined) for (const key of candidateKeysOf(before)) this.remove(key, before);
    if (source !== undefined) for (const key of candidateKeysOf(source)) this.add(key, source);
  }

  private add(key: string, source: Source): void {
    const { expiryTime } = source;
    const listed = this.byKey.get(key);
    if (listed === undefined) {
      this.byKey.set(key, { sources: [source], given: null, soonest: expiryTime });
      return;
    }
    listed.sources.splice(placeOf(listed.sources, source), 0, source);
    listed.given = null;
    listed.soonest = Math.min(listed.soonest, expiryTime);
  }

  private remove(key: string, source: Source): void {
    const listed = this.byKey.get(key);
    if (listed === undefined) return;
    const { sources } = listed;
    const place = placeOf(sources, source);
    if (sources[place]?.id === source.id) sources.splice(place, 1);
    listed.given = null;
    if (sources.length === 0) this.byKey.delete(key);
  }
}

const soonestOf = (sources: readonly Source[]): number =>
  sources.reduce((soonest, { expiryTime }) => Math.min(soonest, expiryTime), Infinity);

/** The place of the source in the list, or the place at which to insert it. */
function placeOf(sources: readonly Source[], source: Source): number {
  let [low, high] = [0, sources.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sources[middle];
    if (other !== undefined && bySourceRank(other, source) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
