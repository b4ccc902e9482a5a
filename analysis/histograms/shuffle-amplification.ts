/**
 * The ε of shuffling `people` answers of an `epsilon`-private local randomizer, up to δ; Infinity if the theorem does not apply (Feldman,
 * McMillan & Talwar 2021, "Hiding among the clones", theorem 3.1).
 */
export function shuffledEpsilon(epsilon: number, people: number, delta: number): number {
  if (epsilon > Math.log(people / (16 * Math.log(2 / delta)))) return Infinity;
  const power = Math.exp(epsilon);
  const clones = 8 * Math.sqrt((power * Math.log(4 / delta)) / people) + (8 * power) / people;
  return Math.log1p(((power - 1) / (power + 1)) * clones);
}

/** Steps of the search; each halves what is left of it. */
const STEPS = 40;

/**
 * The greatest ε of a local randomizer with which shuffled answers are (`epsilon`, δ)-private. Never less than `epsilon`: without the
 * theorem, shuffling does no harm.
 */
export function localEpsilon(epsilon: number, people: number, delta: number): number {
  let [fits, exceeds] = [epsilon, Math.max(epsilon, Math.log(people))];
  for (let step = 0; step < STEPS; step++) {
    const middle = (fits + exceeds) / 2;
    if (shuffledEpsilon(middle, people, delta) <= epsilon) fits = middle;
    else exceeds = middle;
  }
  return fits;
}
