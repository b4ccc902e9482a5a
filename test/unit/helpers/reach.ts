import { Impressions, type Slice } from '../../../analysis/reach/impressions';
import type { ReachOptions } from '../../../analysis/reach/estimators';
import type { ReachEstimate } from '../../../analysis/reach/share-interval';

/** One slice: the publisher and the person of each impression. */
function sliceOf(impressions: readonly (readonly [publisher: string, person: string])[]): Slice {
  const collected = new Impressions(null);
  for (const [publisher, person] of impressions) collected.add([], publisher, person);
  return collected.slices()[0] ?? { group: [], publishers: new Map() };
}

/** People with one to four impressions in turn, by two publishers, of whom every third person knows both. */
export const crowdOf = (people: number): Slice =>
  sliceOf(
    Array.from({ length: people }, (_, person) =>
      Array.from(
        { length: 1 + (person % 4) },
        (_, index) => [`p${person % 3 === 0 ? index % 2 : person % 2}`, `person ${person}`] as const,
      ),
    ).flat(),
  );

export const reachOptions: ReachOptions = {
  most: 4,
  cap: 1,
  epsilon: 1,
  level: 0.95,
  registers: 1024,
  key: 'key',
};

/** The share of estimates whose interval has the truth. */
export function coverage(
  truth: number,
  repetitions: number,
  estimate: (repetition: number) => ReachEstimate,
): number {
  let covered = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const [low, high] = estimate(repetition).interval;
    if (low <= truth && truth <= high) covered += 1;
  }
  return covered / repetitions;
}
