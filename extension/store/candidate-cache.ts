import type { Source } from '../../src/model/records';
import type { CandidateLists } from './loaded-rows';

/** How many sources the lists may have together. A source takes about a kilobyte. */
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
      // An empty list takes room, too.
      room -= sources.length + 1;
      if (room >= 0) kept.push([key, sources]);
    }
    this.kept = new Map(kept.reverse());
  }

  clear(): void {
    this.kept = new Map();
  }
}
