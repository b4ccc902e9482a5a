import { correctSources, type Corrections } from '../store/correct-sources';
import { migrate } from '../store/migrations';
import { openDatabase } from '../store/open-database';
import { isStore } from '../store/new-folder';
import { IN_MEMORY } from '../store/pglite';
import { selectConfigurations } from '../store/sources';
import { isPostgres } from '../store/store-name';
import type { OnSummed } from '../store/sums';
import { firstIssueText, readSources, type SourceFormat } from './read-sources';

/**
 * Corrects rows of the source log, all or none.
 * @param store a folder that no collector uses, or `postgres://…`, whose collectors may go on
 * @param log rows as `POST /sources` takes them
 * @param now null: sources may have any future time
 * @throws Error when the store cannot be opened, a row is not valid, or its source is not in the log
 */
export async function correctLog(
  store: string,
  log: string,
  format: SourceFormat,
  now: Date | null,
  onSummed: OnSummed,
): Promise<Corrections> {
  if (!isPostgres(store) && (store === IN_MEMORY || !isStore(store))) throw new Error('there is no store');
  let corrections: Corrections = { corrected: 0, unchanged: 0 };
  // Before the database opens, because then a server has no limit of time.
  const database = await openDatabase(store, async (opened) => {
    await migrate(opened);
    const { sources, configurations, issues } = await readSources(log, format, now, (ids) =>
      selectConfigurations(opened, ids),
    );
    if (issues.length > 0) throw new Error(firstIssueText(issues));
    corrections = await correctSources(opened, sources, configurations, onSummed);
  });
  await database.close();
  return corrections;
}
