import { KnownConfigurations } from './known-configurations';
import type { Database, Queries } from './database';
import { buildAnew, summedUpTo, type OnSummed } from './sums';
import {
  insertConfigurations,
  keyOf,
  saysTheSame,
  selectByKey,
  updateSource,
  type IdentifiedConfiguration,
  type LoggedSource,
  type StoredSource,
} from './sources';

export interface Corrections {
  readonly corrected: number;
  /** Rows that said what is stored. */
  readonly unchanged: number;
}

/** A row is of no stored source. */
class NotLogged extends Error {
  /** @param index of the row */
  constructor(index: number, { sourceEventId, reportingOrigin }: LoggedSource) {
    super(`row ${index + 1}: there is no source ${sourceEventId} of ${reportingOrigin} in the log`);
  }
}

const ROWS_AT_A_TIME = 2000;

/**
 * Replaces rows of the source log, all or none. What they said before stays in `source_corrections`. The sums are made anew before anybody
 * can read the new rows.
 * @param sources each of a stored source; of two rows for one source, the later counts.
 * @throws Error when a row is of no stored source
 */
export function correctSources(
  database: Database,
  sources: readonly LoggedSource[],
  configurations: readonly IdentifiedConfiguration[],
  onSummed: OnSummed,
): Promise<Corrections> {
  return database.transaction(async (queries) => {
    // Otherwise two corrections at once would replace the same rows, or wait for each other.
    await summedUpTo(queries);
    await insertConfigurations(queries, configurations);
    let corrected = 0;
    for (let start = 0; start < sources.length; start += ROWS_AT_A_TIME)
      corrected += await correctSome(queries, sources.slice(start, start + ROWS_AT_A_TIME), start);
    if (corrected > 0) await buildAnew(queries, new KnownConfigurations(), onSummed);
    return { corrected, unchanged: sources.length - corrected };
  });
}

async function correctSome(
  queries: Queries,
  sources: readonly LoggedSource[],
  first: number,
): Promise<number> {
  const stored = new Map((await selectByKey(queries, sources)).map((source) => [keyOf(source), source]));
  let corrected = 0;
  for (const [index, source] of sources.entries()) {
    const before = stored.get(keyOf(source));
    if (before === undefined) throw new NotLogged(first + index, source);
    if (saysTheSame(before, source)) continue;
    const after: StoredSource = { ...source, id: before.id };
    await updateSource(queries, before, after);
    stored.set(keyOf(source), after);
    corrected++;
  }
  return corrected;
}
