/** How many impressions each person has. */
type PersonCounts = ReadonlyMap<string, number>;

/** The impressions of one group, by publisher. */
export interface Slice {
  /** The values of the columns to group by. */
  readonly group: readonly string[];
  readonly publishers: ReadonlyMap<string, PersonCounts>;
}

/** A group that is counted whoever is in it. */
export interface GivenGroup {
  readonly group: readonly string[];
  /** Who made a sketch for it, with or without people; null: anybody, where the number of publishers changes nothing. */
  readonly publishers: readonly string[] | null;
}

/** What may not depend on the data if what is counted is to be private. */
export interface Bounds {
  /** A person counts in so many groups, the first ones; where publishers are given, at each of them, since none knows of the others. */
  readonly cap: number;
  readonly groups: readonly GivenGroup[];
}

/** The impressions of a group while they are collected. */
interface Group {
  readonly publishers: Map<string, Map<string, number>>;
  /** Whether no other publishers may come. */
  readonly isClosed: boolean;
  /** Whose impressions count. */
  readonly counted: Set<string>;
}

/** Collects impressions by group, publisher and person. */
export class Impressions {
  private readonly groups = new Map<string, Group>();
  /** In how many groups each person counts. */
  private readonly groupsOf = new Map<string, number>();
  /** Impressions beyond the cap. */
  leftOut = 0;

  /** @param bounds null: people count in any number of groups, and the data say which groups there are */
  constructor(private readonly bounds: Bounds | null) {
    for (const { group, publishers } of bounds?.groups ?? []) {
      const known = this.groupOf(JSON.stringify(group), publishers !== null);
      for (const publisher of publishers ?? []) known.publishers.set(publisher, new Map());
    }
  }

  private groupOf(key: string, isClosed: boolean): Group {
    const group = this.groups.get(key) ?? { publishers: new Map(), isClosed, counted: new Set() };
    this.groups.set(key, group);
    return group;
  }

  /** Whether impressions of this group and publisher may come. */
  isExpected(group: readonly string[], publisher: string): boolean {
    if (this.bounds === null) return true;
    const known = this.groups.get(JSON.stringify(group));
    return known !== undefined && (!known.isClosed || known.publishers.has(publisher));
  }

  /** @throws RangeError if the impression is not expected */
  add(group: readonly string[], publisher: string, person: string): void {
    if (!this.isExpected(group, publisher)) throw new RangeError(`group ${group.join()} was not given`);
    const { publishers, isClosed, counted } = this.groupOf(JSON.stringify(group), false);
    const who = isClosed ? JSON.stringify([publisher, person]) : person;
    if (!counted.has(who)) {
      const groups = this.groupsOf.get(who) ?? 0;
      if (this.bounds !== null && groups >= this.bounds.cap) {
        this.leftOut += 1;
        return;
      }
      this.groupsOf.set(who, groups + 1);
      counted.add(who);
    }
    const people = publishers.get(publisher) ?? new Map<string, number>();
    publishers.set(publisher, people);
    people.set(person, (people.get(person) ?? 0) + 1);
  }

  /** In the order in which they were given or, without bounds, of their first impressions. */
  slices(): readonly Slice[] {
    return [...this.groups].map(([key, { publishers }]) => ({
      group: JSON.parse(key) as readonly string[],
      publishers,
    }));
  }
}

/** How many people have 1, 2, … impressions over all publishers; the last number is of those who have so many or more. */
export function frequencies({ publishers }: Slice, most: number): readonly number[] {
  const totals = new Map<string, number>();
  for (const people of publishers.values())
    for (const [person, count] of people) totals.set(person, (totals.get(person) ?? 0) + count);
  return histogramOf(totals.values(), most);
}

/** How many of the numbers are 1, 2, …; the last is of those that are so many or more. */
export function histogramOf(numbers: Iterable<number>, most: number): readonly number[] {
  const counts = Array<number>(most).fill(0);
  for (const number of numbers) {
    const cell = Math.min(number, most) - 1;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}
