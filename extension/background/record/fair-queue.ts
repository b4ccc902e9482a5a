import { Pace } from '../state/pace';

/** What a task makes of one reporting origin's registrations: a trigger needs the sources that came before it. */
export interface Registering {
  readonly kind: 'source' | 'trigger';
  readonly reportingOrigin: string;
}

interface Task {
  readonly site: string;
  readonly registering: Registering | null;
  /** Whether it counts as one of a flood. */
  readonly isPaced: boolean;
  /** What runs before it. */
  readonly needs: readonly Task[];
  readonly run: () => Promise<void>;
  isTaken: boolean;
}

interface Turn {
  readonly tasks: readonly Task[];
  readonly isOfFlood: boolean;
}

/** How many registrations run at once at most: who comes next waits for all of them. */
const MOST_AT_ONCE = 8;

/** For how many waiting tasks of each other site a trigger waits at most: a site that floods must not delay it. */
const MOST_NEEDED = 5;

/** How many sites without a turn lately go before the next of the others: a flood of ever new sites must not stop those. */
const MOST_FRESH = 5;

/** Tasks of a site that run as soon as its turn comes, and in ms how soon each further one may. */
const AT_ONCE = 50;
const INTERVAL = 1000;
/** In ms: how long after its last task a site still counts as one of several. */
const LATELY = 10_000;
/**
 * After a turn with a task of a flood, the queue rests for this many times the turn's duration, and at least for so many ms: the background and the
 * browser must serve others, and the browser has more work after each registration.
 */
const REST = 2;
const LEAST_REST = 200;

/**
 * Runs tasks one after the other. Only the registrations of one turn run at once, so that they share a transaction. Sites take turns, and the tasks of
 * one site run in order. Sites that were not served in the last round go first (RFC 8290, "new queues"), so that a page among floods waits for one
 * task and not for one of each site. A trigger also waits for earlier sources of its reporting origin on other sites, because they may be its ads. It
 * does so only for sources among the next tasks of their site. While several sites have tasks, those with many get only a part of the time.
 */
export class FairQueue {
  /** The waiting tasks of sites that had no turn lately. The next site comes first. */
  private readonly fresh = new Map<string, Task[]>();
  /** Those of the others. A site stays until its next turn, even if it has none. */
  private readonly served = new Map<string, Task[]>();
  /** How many fresh sites had their turn since the last of the others. */
  private freshInRow = 0;
  private isRunning = false;
  private readonly pace = new Pace(AT_ONCE, INTERVAL);
  /** When each site last added a task, on the clock of `performance`, the earliest first. */
  private readonly added = new Map<string, number>();
  /** Until when the queue rests from floods. */
  private restUntil = 0;
  /** A task that was taken and waits until the running ones have ended. */
  private held: Task | undefined;
  /** The timer that ends the rest. */
  private waiting: ReturnType<typeof setTimeout> | undefined;

  /** @param mayShare whether a registration may begin before the one before it has ended */
  constructor(private readonly mayShare: () => boolean = () => true) {}

  /**
   * @param registering null: it runs alone
   * @param isPaced false for what no page can ask for
   */
  add<T>(site: string, registering: Registering | null, work: () => Promise<T>, isPaced = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const lane = this.laneOf(site) ?? [];
      if (!this.served.has(site)) this.fresh.set(site, lane);
      const needs = registering?.kind === 'trigger' ? this.sourcesFor(registering, site) : [];
      // What fails before it returns a promise must not stop the queue.
      const run = (): Promise<void> => new Promise<T>((done) => done(work())).then(resolve, reject);
      lane.push({ site, registering, isPaced, needs, run, isTaken: false });
      this.note(site, performance.now());
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    clearTimeout(this.waiting);
    for (let turn = this.nextTurn(); turn.tasks.length > 0; turn = this.nextTurn()) await this.run(turn);
    this.isRunning = false;
    if ([...this.fresh.values(), ...this.served.values()].some(({ length }) => length > 0))
      this.waiting = setTimeout(() => void this.runAll(), this.restUntil - performance.now());
  }

  private async run({ tasks, isOfFlood }: Turn): Promise<void> {
    const start = performance.now();
    await Promise.all(tasks.map(({ run }) => run()));
    const end = performance.now();
    if (isOfFlood) this.restUntil = end + Math.max(LEAST_REST, REST * (end - start));
  }

  /** The next registrations, to the first of a flood; or the next task that runs alone. */
  private nextTurn(): Turn {
    const tasks: Task[] = [];
    let isOfFlood = false;
    for (let task = this.next(); task !== undefined; task = this.next()) {
      const isAlone = task.registering === null || !this.mayShare();
      if (isAlone && tasks.length > 0) {
        this.held = task;
        break;
      }
      tasks.push(task);
      isOfFlood = this.isOfFlood(task);
      if (isAlone || isOfFlood || tasks.length === MOST_AT_ONCE) break;
    }
    return { tasks, isOfFlood };
  }

  private isOfFlood({ site, isPaced }: Task): boolean {
    const now = performance.now();
    return isPaced && !this.pace.isFree(site, now) && this.isOneOfSeveral(site, now);
  }

  private note(site: string, now: number): void {
    this.forgetEarlier(now);
    this.added.delete(site);
    this.added.set(site, now);
  }

  private forgetEarlier(now: number): void {
    for (const [site, time] of this.added) {
      if (time >= now - LATELY) return;
      this.added.delete(site);
    }
  }

  private isOneOfSeveral(site: string, now: number): boolean {
    this.forgetEarlier(now);
    return this.added.size > (this.added.has(site) ? 1 : 0);
  }

  private next(): Task | undefined {
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) return held;
    let task = this.first();
    // Each step finds an earlier task, so this ends.
    for (let needed = task; needed !== undefined; needed = this.neededBy(needed)) task = needed;
    if (task !== undefined) this.dequeue(task);
    return task;
  }

  private first(): Task | undefined {
    const fresh = this.firstOf(this.fresh);
    if (fresh !== undefined && this.freshInRow++ < MOST_FRESH) return fresh;
    this.freshInRow = 0;
    return this.firstOf(this.served) ?? fresh;
  }

  private firstOf(lanes: Map<string, Task[]>): Task | undefined {
    const now = performance.now();
    for (const [site, [task]] of lanes) {
      if (task === undefined) lanes.delete(site);
      else if (now >= this.restUntil || !task.isPaced || this.pace.mayBeFree(site, now)) return task;
    }
    return undefined;
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

  /** Removes the task and sends its site to the end of the line. */
  private dequeue(task: Task): void {
    const { site } = task;
    task.isTaken = true;
    const lane = this.laneOf(site) ?? [];
    lane.shift();
    this.fresh.delete(site);
    this.served.delete(site);
    this.served.set(site, lane);
  }
}
