import type { JsonObject } from '../../../src/model/json';

/** What would have let a registration pass the check that it failed. */
export interface Change {
  /** Why it did not pass, where that is more exact than the check says. */
  readonly cause?: string;
  readonly sentences: readonly string[];
  /** The header with the change; null if no header of its own helps. */
  readonly header: JsonObject | null;
  /** The nearest source, if it is about one. */
  readonly sourceId: number | null;
  /** The entry of the log that it is about, if any. */
  readonly entryId?: number;
}
