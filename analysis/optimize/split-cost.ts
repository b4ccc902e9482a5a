/** One way to ask a query. */
export interface Choice {
  /** Its error without noise. */
  readonly fixed: number;
  /** The cube root of what its noise would cost if it had the whole budget. */
  readonly root: number;
}

/** The choices so far for the first queries, and what they sum to. */
interface Partial {
  readonly places: readonly number[];
  readonly fixed: number;
  readonly root: number;
}

/**
 * A choice for each query, by its place, that minimises Σ fixed + (Σ root)³: what remains of Σ fixed + root³/α² once the shares α, which
 * sum to 1, are in proportion to the roots. Both sums should be small, so of the choices for the first queries only those are kept that no
 * other beats in both.
 */
export function leastCost(queries: readonly (readonly Choice[])[]): readonly number[] {
  let kept: readonly Partial[] = [{ places: [], fixed: 0, root: 0 }];
  for (const choices of queries)
    kept = unbeaten(
      kept.flatMap(({ places, fixed, root }) =>
        choices.map((choice, place) => ({
          places: [...places, place],
          fixed: fixed + choice.fixed,
          root: root + choice.root,
        })),
      ),
    );
  const cost = ({ fixed, root }: Partial): number => fixed + root ** 3;
  const [first, ...others] = kept;
  return (
    others.reduce((best, one) => (best === undefined || cost(one) < cost(best) ? one : best), first)
      ?.places ?? []
  );
}

function unbeaten(all: readonly Partial[]): readonly Partial[] {
  let least = Infinity;
  return [...all]
    .sort((a, b) => a.root - b.root || a.fixed - b.fixed)
    .filter(({ fixed }) => {
      const isKept = fixed < least;
      least = Math.min(least, fixed);
      return isKept;
    });
}
