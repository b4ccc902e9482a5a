import { greatest, least } from '../../numeric/extremes';
import { leftText } from './progress';

/** What tasks of a kind took in their threads, in the order in which they ended. */
interface Ended {
  readonly cost: number;
  /** In milliseconds. */
  readonly time: number;
}

interface Tasks<Task> {
  readonly threads: number;
  /** In any unit of work. */
  readonly costOf: (task: Task) => number;
  /** Tasks of a kind take the same time for a unit. */
  readonly kindOf: (task: Task) => string;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** Of each kind, the first ones: their threads start, and their code becomes fast. */
const LEFT_OUT = 0.5;

/**
 * The remaining time of tasks that threads do in their order. What a unit of work takes is measured for each kind. Until a task of a kind is done, its
 * unit is that of all kinds together. The end is that of the thread that ends last.
 */
export class TaskTimes<Task> {
  private readonly start: number;
  private readonly now: () => number;
  private readonly ended = new Map<string, Ended[]>();
  private readonly waiting: Task[];
  /** When a thread began each. */
  private readonly running = new Map<Task, number>();

  /** The first tasks begin at once. */
  constructor(
    tasks: readonly Task[],
    private readonly of: Tasks<Task>,
  ) {
    this.now = of.now ?? ((): number => performance.now());
    this.start = this.now();
    this.waiting = [...tasks];
    this.begin();
  }

  /** Its thread begins the next one. */
  end(task: Task): void {
    const { costOf, kindOf } = this.of;
    const kind = kindOf(task);
    const others = this.ended.get(kind) ?? [];
    this.ended.set(kind, others);
    others.push({ cost: costOf(task), time: this.now() - this.startOf(task) });
    this.begin();
  }

  /** As progress shows it; empty until a task is done. */
  left(): string {
    if (this.ended.size === 0) return '';
    const now = this.now();
    const unitOf = this.units(now);
    const expected = (task: Task): number => this.of.costOf(task) * unitOf(this.of.kindOf(task));
    const ends = [...this.running].map(([task, start]) => Math.max(0, expected(task) - (now - start)));
    for (const task of this.waiting) {
      const first = ends.indexOf(least(ends));
      ends[first] = (ends[first] ?? 0) + expected(task);
    }
    return leftText(now - this.start, Math.max(0, greatest(ends)));
  }

  /** The time of a unit of each kind. */
  private units(now: number): (kind: string) => number {
    const { costOf, kindOf } = this.of;
    const counted = [...this.ended].map(([kind, all]) => {
      const some = all.slice(Math.floor(LEFT_OUT * all.length));
      const sum = (of: (one: Ended) => number): number => some.reduce((whole, one) => whole + of(one), 0);
      return { kind, cost: sum(({ cost }) => cost), time: sum(({ time }) => time) };
    });
    const [cost, time] = [
      counted.reduce((sum, one) => sum + one.cost, 0),
      counted.reduce((sum, one) => sum + one.time, 0),
    ];
    const units = new Map(counted.map((one) => [one.kind, one.time / one.cost]));
    // A kind of which nothing has ended yet takes at least as long as what runs.
    for (const [task, start] of this.running) {
      const kind = kindOf(task);
      if (!this.ended.has(kind))
        units.set(kind, Math.max(units.get(kind) ?? time / cost, (now - start) / costOf(task)));
    }
    return (kind) => units.get(kind) ?? time / cost;
  }

  /** A pool may take another task than the next one. */
  private startOf(task: Task): number {
    const known = this.running.get(task);
    if (known !== undefined) {
      this.running.delete(task);
      return known;
    }
    this.waiting.splice(this.waiting.indexOf(task), 1);
    const last = [...this.running].at(-1);
    if (last === undefined) return this.now();
    this.running.delete(last[0]);
    this.waiting.unshift(last[0]);
    return last[1];
  }

  private begin(): void {
    for (const task of this.waiting.splice(0, this.of.threads - this.running.size))
      this.running.set(task, this.now());
  }
}
