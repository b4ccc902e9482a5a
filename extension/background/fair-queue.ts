import { Pace } from './pace';

/** What a task makes of one reporting origin's registrations: a trigger needs the sources that came before it. */
export interface Registering {
  readonly kind: 'source' | 'trigger';
  readonly reportingOrigin: string;
}

interface Task {
  readonly site: string;
  readonly registering: Registering | null;
  /** Whether it counts for the pace of its site. */
  readonly isPaced: boolean;
  /** What runs before it. */
  readonly needs: readonly Task[];
  readonly run: () => Promise<void>;
  isTaken: boolean;
}

/** For how many waiting tasks of each other site a trigger waits at most: a site that floods must not delay it. */
const MOST_NEEDED = 5;

/** How many sites without a turn lately go before the next of the others: a flood of ever new sites must not stop those. */
const MOST_FRESH = 5;

/**
 * Tasks of a site that run as soon as its turn comes, and in ms how soon each further one follows: what a site floods with must leave the
 * background and the browser time for what others do.
 */
const AT_ONCE = 50;
const INTERVAL = 200;

/**
 * Runs one task at a time. Sites take turns, each at its pace, and the tasks of one site run in order. A site that had no turn since the line
 * last came round goes before those that had one (RFC 8290, "new queues"), so that a page among floods waits for one task and not for one of
 * each. A trigger also waits for the earlier sources of its reporting origin on other sites, which may be the ads that it is about, if they
 * are among the next of their site.
 */
export class FairQueue {
  /** The waiting tasks of sites that had no turn lately. The next site comes first. */
  private readonly fresh = new Map<string, Task[]>();
  /** Those of the others. A site stays until its next turn, even if it has none. */
  private readonly served = new Map<string, Task[]>();
  /** How many fresh sites had their turn since the last of the others. */
  private freshInRow = 0;
  private isRunning = false;
  private readonly pace = new Pace(AT_ONCE - 1, INTERVAL);
  /** When the next task of a site may run, on the clock of `performance`. */
  private readonly due = new Map<string, number>();
  /** Goes on when the next site is due. */
  private waiting: ReturnType<typeof setTimeout> | undefined;

  /** @param isPaced false for what no page can ask for */
  add<T>(site: string, registering: Registering | null, work: () => Promise<T>, isPaced = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const lane = this.laneOf(site) ?? [];
      if (!this.served.has(site)) this.fresh.set(site, lane);
      const needs = registering?.kind === 'trigger' ? this.sourcesFor(registering, site) : [];
      // What fails before it returns a promise must not stop the queue.
      const run = (): Promise<void> => new Promise<T>((done) => done(work())).then(resolve, reject);
      lane.push({ site, registering, isPaced, needs, run, isTaken: false });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    clearTimeout(this.waiting);
    for (let task = this.next(); task !== undefined; task = this.next()) await task.run();
    this.isRunning = false;
    this.waitForNext();
  }

  private waitForNext(): void {
    const now = performance.now();
    for (const [site, due] of this.due) if (due <= now) this.due.delete(site);
    const waiting = [...this.fresh, ...this.served].filter(([, lane]) => lane.length > 0);
    if (waiting.length === 0) return;
    const next = Math.min(...waiting.map(([site]) => this.due.get(site) ?? now));
    this.waiting = setTimeout(() => void this.runAll(), next - now);
  }

  private next(): Task | undefined {
    let task = this.first();
    // Each step finds an earlier task, so this ends.
    for (let needed = task; needed !== undefined; needed = this.neededBy(needed)) task = needed;
    if (task !== undefined) this.take(task);
    return task;
  }

  private first(): Task | undefined {
    const fresh = this.firstDue(this.fresh);
    if (fresh !== undefined && this.freshInRow++ < MOST_FRESH) return fresh;
    this.freshInRow = 0;
    return this.firstDue(this.served) ?? fresh;
  }

  private firstDue(lanes: Map<string, Task[]>): Task | undefined {
    for (const [site, [task]] of lanes) {
      if (task === undefined) lanes.delete(site);
      else if (this.isDue(site)) return task;
    }
    return undefined;
  }

  private isDue(site: string): boolean {
    const due = this.due.get(site);
    if (due !== undefined && due > performance.now()) return false;
    this.due.delete(site);
    return true;
  }

  private laneOf(site: string): Task[] | undefined {
    return this.fresh.get(site) ?? this.served.get(site);
  }

  private sourcesFor({ reportingOrigin }: Registering, site: string): readonly Task[] {
    return [...this.fresh.values(), ...this.served.values()]
      .flatMap((lane) => lane.slice(0, MOST_NEEDED))
      .filter(
        ({ site: other, registering }) =>
          other !== site && registering?.kind === 'source' && registering.reportingOrigin === reportingOrigin,
      );
  }

  /** The first task of the site with a source that this task waits for. */
  private neededBy({ needs }: Task): Task | undefined {
    const source = needs.find(({ isTaken }) => !isTaken);
    return source && this.laneOf(source.site)?.[0];
  }

  /** Notes when the next task of the site may run. */
  private countFor(site: string): void {
    const now = performance.now();
    const wait = this.pace.delay(site, now);
    if (wait > 0) this.due.set(site, now + wait);
  }

  /** Removes the task and sends its site to the end of the line. */
  private take(task: Task): void {
    const { site } = task;
    task.isTaken = true;
    const lane = this.laneOf(site) ?? [];
    lane.shift();
    if (task.isPaced) this.countFor(site);
    this.fresh.delete(site);
    this.served.delete(site);
    this.served.set(site, lane);
  }
}
