import { editDistance } from '../../recording/unknown-headers';

/** How many characters of a name may be wrong. */
const MOST_WRONG = 2;

/**
 * Refuses names that nobody would read, because JavaScript does not.
 * @param where names the object in the error
 * @throws TypeError that says which names are allowed
 */
export function refuseUnknown(where: string, given: unknown, allowed: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${where}: must be an object, was ${String(given)}`);
  const unknown = Object.keys(given).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const meant = allowed.find((name) => editDistance(name.toLowerCase(), unknown.toLowerCase()) <= MOST_WRONG);
  const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  throw new TypeError(`${where}.${unknown}: is not known${guess}; known are ${allowed.join(', ')}`);
}
