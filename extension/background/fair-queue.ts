/** What a task makes of one reporting origin's registrations: a trigger needs the sources that came before it. */
export interface Registering {
  readonly kind: 'source' | 'trigger';
  readonly reportingOrigin: string;
}

interface Task {
  readonly number: number;
  readonly site: string;
  readonly registering: Registering | null;
  readonly run: () => Promise<void>;
}

/**
 * Runs one task at a time. Sites take turns, and the tasks of one site run in order. A trigger also waits for the earlier sources of its
 * reporting origin on other sites, which may be the ads that it is about.
 */
export class FairQueue {
  /** The sites' waiting tasks. The next site comes first. */
  private readonly lanes = new Map<string, Task[]>();
  private added = 0;
  private isRunning = false;

  add<T>(site: string, registering: Registering | null, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const lane = this.lanes.get(site) ?? [];
      this.lanes.set(site, lane);
      lane.push({ number: this.added++, site, registering, run: () => work().then(resolve, reject) });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let task = this.next(); task !== undefined; task = this.next()) await task.run();
    this.isRunning = false;
  }

  private next(): Task | undefined {
    const [first] = this.lanes.values();
    let task = first?.[0];
    // Each step finds an earlier task, so this ends.
    for (let needed = task; needed !== undefined; needed = this.neededBy(needed)) task = needed;
    if (task !== undefined) this.take(task);
    return task;
  }

  /** The first task of the site with the earliest source that this trigger waits for. */
  private neededBy({ registering: needing, number, site }: Task): Task | undefined {
    if (needing?.kind !== 'trigger') return undefined;
    const sources = [...this.lanes.values()]
      .flat()
      .filter(
        (other) =>
          other.number < number &&
          other.site !== site &&
          other.registering?.kind === 'source' &&
          other.registering.reportingOrigin === needing.reportingOrigin,
      );
    const [earliest] = sources.sort((a, b) => a.number - b.number);
    return earliest && this.lanes.get(earliest.site)?.[0];
  }

  /** Removes the task and sends its site to the end of the line. */
  private take({ site }: Task): void {
    const lane = this.lanes.get(site) ?? [];
    lane.shift();
    this.lanes.delete(site);
    if (lane.length > 0) this.lanes.set(site, lane);
  }
}
