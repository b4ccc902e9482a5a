/**
 * Refuses names that nobody would read, because JavaScript does not.
 * @param where names the object in the error
 * @throws TypeError that says which names are allowed
 */
export function refuseUnknown(where: string, given: unknown, allowed: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${where}: must be an object, was ${String(given)}`);
  const unknown = Object.keys(given).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${where}.${unknown}: is not known; known are ${allowed.join(', ')}`);
}
