import { greatest, least } from '../../numeric/extremes';
import { COUNTED, leftText } from './progress';

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
  /** How much of a task that runs is done, from 0 to 1; null: nobody knows. All kinds are then alike. */
  readonly shareOf?: ((task: Task) => number) | null;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** What had been done by then. */
interface Look {
  /** In milliseconds. */
  readonly time: number;
  /** How long threads had worked, all together, in milliseconds. */
  readonly busy: number;
  /** In units of work, with the shares of tasks that run. */
  readonly done: number;
}

/** Of each kind, the first ones: their threads start, and their code becomes fast. */
const LEFT_OUT = 0.5;

/**
 * In its first task, a thread reads its input and its code becomes fast, so that it can take twice the time of others. Of a long task, only so much is
 * slow.
 */
const SLOW_MILLISECONDS = 30_000;

/**
 * The remaining time of tasks that threads do in their order. Where it is known how much of a running task is done, a unit of work takes what it took in
 * the last third of the time, once that is after the slow beginning. Elsewhere, a unit is measured for each kind by the tasks that are done. Until a task
 * of a kind is done, its unit is that of all kinds together. The end is that of the thread that ends last.
 */
export class TaskTimes<Task> {
  private readonly start: number;
  private readonly now: () => number;
  private readonly ended = new Map<string, Ended[]>();
  private readonly waiting: Task[];
  /** When a thread began each. */
  private readonly running = new Map<Task, number>();
  /** The first one is the last before the part of the time that counts. */
  private looks: readonly Look[];
  /** When each thread had done its first task. */
  private warm = Infinity;

  /** The first tasks begin at once. */
  constructor(
    tasks: readonly Task[],
    private readonly of: Tasks<Task>,
  ) {
    this.now = of.now ?? ((): number => performance.now());
    this.start = this.now();
    this.waiting = [...tasks];
    this.looks = [{ time: this.start, busy: 0, done: 0 }];
    this.begin();
  }

  /** Its thread begins the next one. */
  end(task: Task): void {
    const { costOf, kindOf } = this.of;
    const kind = kindOf(task);
    const others = this.ended.get(kind) ?? [];
    this.ended.set(kind, others);
    const now = this.now();
    others.push({ cost: costOf(task), time: now - this.startOf(task) });
    this.begin();
    const count = [...this.ended.values()].reduce((sum, all) => sum + all.length, 0);
    if (count === this.of.threads) this.warm = now;
    this.look(now);
  }

  /** As progress shows it; empty until it is known. */
  left(): string {
    const now = this.now();
    const { costOf, kindOf, shareOf = null } = this.of;
    const unitOf = shareOf === null ? this.units(now) : this.recentUnit(now);
    if (unitOf === null) return '';
    const expected = (task: Task): number => costOf(task) * unitOf(kindOf(task));
    const ends = [...this.running].map(([task, start]) =>
      shareOf === null ? Math.max(0, expected(task) - (now - start)) : (1 - shareOf(task)) * expected(task),
    );
    for (const task of this.waiting) {
      const first = ends.indexOf(least(ends));
      ends[first] = (ends[first] ?? 0) + expected(task);
    }
    return leftText(now - this.start, Math.max(0, greatest(ends)));
  }

  /** What a unit took in the last third of the time; null while that has some of the slow beginning. */
  private recentUnit(now: number): (() => number) | null {
    this.look(now);
    const [from, to] = [this.looks[0], this.looks.at(-1)];
    if (from === undefined || to === undefined || to.done <= from.done) return null;
    if (from.time < Math.min(this.warm, this.start + SLOW_MILLISECONDS)) return null;
    const unit = (to.busy - from.busy) / (to.done - from.done);
    return () => unit;
  }

  private look(now: number): void {
    const { costOf, shareOf = null } = this.of;
    if (shareOf === null) return;
    const parts = [
      ...[...this.ended.values()].flat(),
      ...[...this.running].map(([task, start]) => ({
        time: now - start,
        cost: costOf(task) * shareOf(task),
      })),
    ];
    const busy = parts.reduce((sum, { time }) => sum + time, 0);
    const done = parts.reduce((sum, { cost }) => sum + cost, 0);
    const before = this.looks.findLastIndex(({ time }) => time <= now - COUNTED * (now - this.start));
    this.looks = [...this.looks.slice(Math.max(0, before)), { time: now, busy, done }];
  }

  /** The time of a unit of each kind; null until a task is done. */
  private units(now: number): ((kind: string) => number) | null {
    if (this.ended.size === 0) return null;
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
    const place = this.waiting.indexOf(task);
    if (place >= 0) this.waiting.splice(place, 1);
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
