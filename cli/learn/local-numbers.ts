import { nameHash } from '../io/name-numbers';

/** Numbers values in the order of their first occurrence in a part of a log, from 0. */
export class LocalNumbers {
  private readonly numbers = new Map<string, number>();

  of(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) this.numbers.set(name, (number = this.numbers.size));
    return number;
  }

  /** In the order of the numbers. */
  hashes(): BigUint64Array {
    return BigUint64Array.from(this.numbers.keys(), nameHash);
  }
}
