import type { EstimateResultJson, SnakeCased } from './estimate-result';
import type { JoinCounts } from '../join/join';

/** @param otherKinds the lines that are not event-level reports, by kind. */
export const countsJson = (
  { sources, reports }: JoinCounts,
  otherKinds: ReadonlyMap<string, number>,
): Pick<EstimateResultJson, 'sources' | 'reports'> => ({
  sources: snakeCased(sources),
  reports: {
    ...snakeCased(reports),
    inconsistent: snakeCased(reports.inconsistent),
    other_kinds: Object.fromEntries([...otherKinds].sort()),
  },
});

/** With the names of its fields as JSON has them. */
export const snakeCased = <T extends object>(object: T): SnakeCased<T> =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]: [string, unknown]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ) as SnakeCased<T>;
