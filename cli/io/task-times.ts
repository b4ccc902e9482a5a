import { leftText } from './progress';

interface Kind {
  /** What is not done yet, in units of work. */
  open: number;
  /** What is done, and the time that it took in its threads, in milliseconds. */
  done: number;
  time: number;
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

/**
 * The remaining time of tasks that threads take from one queue. What a unit of work takes is measured for each kind. Until a task of a kind is done, its
 * unit is that of all kinds together.
 */
export class TaskTimes<Task> {
  private readonly start: number;
  private readonly now: () => number;
  private readonly kinds = new Map<string, Kind>();
  private readonly waiting: Task[] = [];
  /** When a thread began each. */
  private readonly running = new Map<Task, number>();

  constructor(
    tasks: readonly Task[],
    private readonly of: Tasks<Task>,
  ) {
    this.now = of.now ?? ((): number => performance.now());
    this.start = this.now();
    for (const task of tasks) this.kind(task).open += of.costOf(task);
  }

  /** A thread begins the task as soon as it has done those before. */
  queue(task: Task): void {
    this.waiting.push(task);
    this.begin();
  }

  end(task: Task): void {
    const kind = this.kind(task);
    const cost = this.of.costOf(task);
    kind.open -= cost;
    kind.done += cost;
    kind.time += this.now() - (this.running.get(task) ?? this.now());
    this.running.delete(task);
    this.begin();
  }

  /** As progress shows it; empty until a task is done. */
  left(): string {
    const now = this.now();
    const all = [...this.kinds.values()];
    const [done, time] = [
      all.reduce((sum, kind) => sum + kind.done, 0),
      all.reduce((sum, kind) => sum + kind.time, 0),
    ];
    if (done === 0) return '';
    const unitOf = (kind: Kind): number => (kind.done === 0 ? time / done : kind.time / kind.done);
    const open = all.reduce((sum, kind) => sum + kind.open * unitOf(kind), 0);
    let [begun, longest] = [0, 0];
    for (const [task, start] of this.running) {
      const expected = this.of.costOf(task) * unitOf(this.kind(task));
      const passed = Math.min(now - start, expected);
      begun += passed;
      longest = Math.max(longest, expected - passed);
    }
    // The last task can keep one thread busy when the others have nothing to do.
    return leftText(now - this.start, Math.max((open - begun) / this.of.threads, longest));
  }

  private kind(task: Task): Kind {
    const name = this.of.kindOf(task);
    let kind = this.kinds.get(name);
    if (kind === undefined) this.kinds.set(name, (kind = { open: 0, done: 0, time: 0 }));
    return kind;
  }

  private begin(): void {
    for (const task of this.waiting.splice(0, this.of.threads - this.running.size))
      this.running.set(task, this.now());
  }
}
