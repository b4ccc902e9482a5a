import type { UnknownHeader } from './requests';

const known = ['Source', 'Trigger', 'OS-Source', 'OS-Trigger'].map(
  (kind) => `Attribution-Reporting-Register-${kind}`,
);
/** Requests and debugging have these; responses may repeat them. */
const others: ReadonlySet<string> = new Set(
  ['Eligible', 'Support', 'Info'].map((kind) => `attribution-reporting-${kind.toLowerCase()}`),
);
/** How many characters of a name may be wrong. */
const MOST_WRONG = 4;
const LONGEST = 60;

/** The first header whose name is like that of a registration header; undefined if there is none. The names have other cases in HTTP/2. */
export function unknownHeader(names: readonly string[]): UnknownHeader | undefined {
  for (const name of names) {
    const lower = name.toLowerCase();
    // Nearly all names end here.
    if (!lower.startsWith('attribution') || lower.length > LONGEST || others.has(lower)) continue;
    const [nearest] = known
      .map((meant) => ({ meant, wrong: editDistance(lower, meant.toLowerCase()) }))
      .sort((one, other) => one.wrong - other.wrong);
    if (nearest !== undefined && nearest.wrong > 0 && nearest.wrong <= MOST_WRONG)
      return { name, meant: nearest.meant };
  }
  return undefined;
}

/** How many characters to insert, delete or replace (Levenshtein). */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, a] of Array.from(one).entries()) {
    const next = [i + 1];
    for (const [j, b] of Array.from(other).entries())
      next.push(Math.min((row[j] ?? 0) + (a === b ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row[other.length] ?? 0;
}
