/** How many entries the maps and sets of an object have. */
export const entriesIn = (object: object): number =>
  Object.values(object)
    .map((value: unknown) => (value instanceof Map || value instanceof Set ? value.size : 0))
    .reduce((sum, size) => sum + size, 0);
