import {
  disclosures,
  type Check,
  type CheckId,
  type CheckValues,
  type CountedCheckId,
  type MadeCheck,
} from './model/checks';
import type { Considered } from './model/considered-source';

/** Collects the checks of one registration in order. */
export class Trace {
  readonly checks: Check[] = [];
  private listConsidered: () => Considered = () => ({ considered: [] });

  /** The candidates of a conversion. */
  get considered(): Considered {
    return this.listConsidered();
  }

  /** @param list is called once it is known what became of the conversion: there can be thousands of candidates. */
  consider(list: () => Considered): void {
    this.listConsidered = list;
  }

  /** A trace for another part of the same registration. */
  beside(): Trace {
    return new Trace();
  }

  /** Records a check and returns whether it passed. */
  check<Id extends CheckId>(id: Id, passed: boolean, values: CheckValues[Id]): boolean {
    const made: MadeCheck<Id> = { id, passed, values, discloses: disclosures[id] };
    // TypeScript cannot see this for an id that is a type parameter.
    this.checks.push(made as MadeCheck);
    return passed;
  }

  /** Records a check that there is something. */
  found<Id extends CheckId, T>(id: Id, what: T | null | undefined, values: CheckValues[Id]): what is T {
    return this.check(id, what !== null && what !== undefined, values);
  }

  /** Records a check that a count is within a limit. */
  within(id: CountedCheckId, count: number | bigint, limit: number | bigint): boolean {
    return this.check(id, count <= limit, { count: storable(count), limit: storable(limit) });
  }
}

/** Makes no checks, and decides the same. */
class UnreadTrace extends Trace {
  override check(_id: CheckId, passed: boolean): boolean {
    return passed;
  }

  override within(_id: CountedCheckId, count: number | bigint, limit: number | bigint): boolean {
    return count <= limit;
  }

  override consider(): void {
    // Nobody lists them.
  }

  override beside(): Trace {
    return this;
  }
}

/** For decisions whose checks nobody reads, as in simulations. */
export const unread: Trace = new UnreadTrace();

/** JSON has neither 64-bit integers nor infinities. */
const storable = (count: number | bigint): number | string =>
  typeof count === 'number' && Number.isFinite(count) ? count : String(count);
