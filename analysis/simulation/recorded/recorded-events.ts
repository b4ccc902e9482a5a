import type { JsonObject } from '../../../src/model/json';

/** Events of another program's file, as lines of a log (`parseLogLine`), each user's in the order of time. */
export interface Recorded {
  readonly lines: readonly JsonObject[];
  /** Registrations that are no events, because nothing tells an https page of theirs. Their lines have a made-up one. */
  readonly withoutPage: readonly JsonObject[];
  /** What a reader must know of them, and how often it applies. */
  readonly notes: ReadonlyMap<string, number>;
}
