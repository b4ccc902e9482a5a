import type { Source } from '../../src/model/records';
import type { CandidateLists } from './loaded-rows';

/** How many sources the lists may have together. Their sizes are bounded by the room that sites have for sources (docs/bounds.md). */
const MOST_SOURCES = 5000;

/**
 * The candidates of the last conversions, as they are in the database. A conversion without a credit deletes no source, so that a flood of them would
 * read the same thousands of sources each time. Only for the one writer.
 */
export class CandidateCache {
  private kept: CandidateLists = new Map();

  /** What a transaction begins with. */
  get lists(): CandidateLists {
    return this.kept;
  }

  /** @param lists as a transaction that is complete leaves them, in the order in which they were first asked for */
  keep(lists: CandidateLists): void {
    const kept: (readonly [string, readonly Source[]])[] = [];
    let room = MOST_SOURCES;
    for (const [key, sources] of [...lists].reverse()) {
      // An empty list takes room, too. One that is too long leaves the room to others.
      if (sources.length >= room) continue;
      room -= sources.length + 1;
      kept.push([key, sources]);
    }
    this.kept = new Map(kept.reverse());
  }

  clear(): void {
    this.kept = new Map();
  }
}
