import type { Case } from './costs';
import { growthBetween, timeOf } from './measure';

const FIRST = 100;
/** So many say what is wrong. Each takes long. */
const MOST_FOUND = 2;

/**
 * What takes more than three times as long for twice the text, or throws.
 * @param smallest in characters: from where on each case is measured; the largest of each is in any case
 */
export async function findingsOf(cases: readonly Case[], smallest: number): Promise<readonly string[]> {
  const found: string[] = [];
  let warm: Case['run'] | null = null;
  for (const { name, run, shape, largest } of cases) {
    if (found.length === MOST_FOUND) break;
    try {
      // What is loaded and compiled for the first call is no growth.
      if (run !== warm) await run(shape(FIRST));
      warm = run;
      const growth = await growthBetween((size) => timeOf(shape, run, size), smallest, largest);
      if (growth !== null) found.push(`${name}: ${growth}`);
    } catch (error) {
      found.push(`${name}: ${String(error)}`);
    }
  }
  return found;
}
