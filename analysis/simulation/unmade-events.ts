import type { Cells } from './cells';
import { meets, type CsvMapping } from './csv-mapping';

type EventMapping = CsvMapping['events'][number];
type Condition = EventMapping['when'][number];

const MOST_VALUES = 5;
const LONGEST_VALUE = 40;

/** Finds the events of a mapping that no row makes. In a part of a log, that can be; in a whole one it is mostly a mistake, which the caller refuses. */
export class UnmadeEvents {
  private readonly events: Map<number, UnmadeEvent>;
  private rows = 0;

  constructor({ events }: CsvMapping) {
    this.events = new Map(events.map((event, index) => [index, new UnmadeEvent(event)]));
  }

  see(cells: Cells): void {
    this.rows += 1;
    for (const [index, event] of this.events) if (event.isMadeBy(cells)) this.events.delete(index);
  }

  /** What to say of each; nothing of a log without rows. */
  list(): readonly string[] {
    return this.rows === 0
      ? []
      : [...this.events].map(([index, event]) => `events[${index}]: no row makes it: ${event.reason()}`);
  }
}

class UnmadeEvent {
  /** The first values that did not meet each condition; null: one did. */
  private readonly seen: Map<Condition, Set<string> | null>;

  constructor(event: EventMapping) {
    this.seen = new Map(event.when.map((condition) => [condition, new Set()]));
  }

  isMadeBy(cells: Cells): boolean {
    let isMade = true;
    for (const [condition, values] of this.seen) {
      const cell = cells(condition.column);
      if (meets(condition, cell)) this.seen.set(condition, null);
      else {
        isMade = false;
        if (values !== null && values.size < MOST_VALUES) values.add(cell.slice(0, LONGEST_VALUE));
      }
    }
    return isMade;
  }

  reason(): string {
    const unmet = [...this.seen].flatMap(([{ column, values }, seen]) =>
      seen === null
        ? []
        : [`column ${JSON.stringify(column)} must be ${listed(values)}, was ${listed(seen)}`],
    );
    return unmet.length > 0 ? unmet.join('; ') : 'no row meets all its conditions at once';
  }
}

const listed = (values: Iterable<string>): string =>
  [...values].map((value) => JSON.stringify(value)).join(' or ');
