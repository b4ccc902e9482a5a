import { correctLog } from '../../collector/intake/correct-log';
import { shownStore } from '../../collector/store/store-name';
import { InputError, readText } from '../io/input';
import { say } from '../io/terminal';
import { showSumming } from './sums';

/**
 * `cointoss collect --correct-sources FILE`: replaces rows of the source log that were wrong.
 * @param now null in a rehearsal, whose sources may have any future time
 */
export async function correctSourceLog(store: string, file: string, now: Date | null): Promise<void> {
  const log = readText(file);
  const summing = showSumming();
  try {
    const format = file.endsWith('.csv') ? 'csv' : 'ndjson';
    const { corrected, unchanged } = await correctLog(store, log, format, now, summing.onSummed);
    say(
      `corrected: ${corrected}; said what is stored: ${unchanged}. GET /sources/corrections has what was there`,
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new InputError(
      `collect: --correct-sources ${file}: nothing was corrected in ${shownStore(store)}: ${message}`,
    );
  } finally {
    summing.stop();
  }
}
