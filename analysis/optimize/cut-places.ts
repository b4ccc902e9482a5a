/** Longer lists are sampled, because the dynamic programme takes quadratic time. */
const MAX_PLACES = 128;

/**
 * The indices in an ascending list where a cut may be: all of them, or for a long list some 128. A third of these follows the count of
 * numbers, a third their likelihood, and a third their distance.
 */
export function cutPlaces(ascending: readonly number[], weights: readonly number[]): number[] {
  const indices = ascending.map((_, index) => index);
  if (ascending.length <= MAX_PLACES) return indices;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const first = ascending[0] ?? 0;
  const range = (ascending.at(-1) ?? 0) - first;
  let before = 0;
  let lastCell = -1;
  return indices.filter((index) => {
    const progress = index / ascending.length + before / total + ((ascending[index] ?? 0) - first) / range;
    before += weights[index] ?? 0;
    const cell = Math.floor((progress * MAX_PLACES) / 3);
    const isNext = cell > lastCell;
    if (isNext) lastCell = cell;
    return isNext;
  });
}
