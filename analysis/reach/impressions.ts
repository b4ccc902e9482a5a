/** How many impressions each person has. */
type PersonCounts = ReadonlyMap<string, number>;

/** The impressions of one group, by publisher. */
export interface Slice {
  /** The values of the columns to group by. */
  readonly group: readonly string[];
  readonly publishers: ReadonlyMap<string, PersonCounts>;
}

/** Collects impressions by group, publisher and person. */
export class Impressions {
  private readonly groups = new Map<string, Map<string, Map<string, number>>>();
  /** How many groups each person has impressions in that count. */
  private readonly groupsOf = new Map<string, number>();
  /** Impressions beyond the cap. */
  leftOut = 0;

  /** @param cap a person counts in so many groups, the first ones; in any number, if null */
  constructor(private readonly cap: number | null) {}

  add(group: readonly string[], publisher: string, person: string): void {
    const key = JSON.stringify(group);
    const publishers = this.groups.get(key) ?? new Map<string, Map<string, number>>();
    this.groups.set(key, publishers);
    if (![...publishers.values()].some((people) => people.has(person))) {
      const groups = this.groupsOf.get(person) ?? 0;
      if (this.cap !== null && groups >= this.cap) {
        this.leftOut += 1;
        return;
      }
      this.groupsOf.set(person, groups + 1);
    }
    const people = publishers.get(publisher) ?? new Map<string, number>();
    publishers.set(publisher, people);
    people.set(person, (people.get(person) ?? 0) + 1);
  }

  /** In the order of their first impressions. */
  slices(): readonly Slice[] {
    return [...this.groups].map(([key, publishers]) => ({
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
