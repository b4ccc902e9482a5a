import type { CreditCounts } from '../../analysis/credits/credit-counts';
import { comparedCredits } from '../../analysis/credits/credit-rows';
import { RandomNumbers } from '../../analysis/learn/random-numbers';
import { randomFor } from '../io/random';
import type { Plan } from './options';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';

/** Writes how attribution models credit the channels of a log. */
export async function writeComparedCredits(
  { setup: { seed, settings } }: Plan,
  file: string,
  counts: CreditCounts,
): Promise<void> {
  // An empty list: no user has this randomness.
  const random = randomFor(seed === null ? undefined : JSON.stringify([seed]))(0);
  const { rows, notEstimable } = comparedCredits(
    counts,
    settings.attribution.kind,
    new RandomNumbers(random),
  );
  if (notEstimable > 0)
    say(
      `${file}: what is learned from reports lacks the conversions of ${notEstimable} sources, because their noise hides how many there are`,
    );
  await writeTable(file, () => rows.map((row) => ({ ...row })));
}
