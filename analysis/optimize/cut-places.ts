/** Up to so many, every place is looked at; the dynamic programme takes time with their square. */
const MAX_PLACES = 128;

/**
 * Where, in an ascending list, a cut is looked for, as indices: everywhere, or, if the list is long, at some 128 places. Those
 * stand close where the numbers are many, where they are likely, and where they are far apart (a third of the places for each).
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
