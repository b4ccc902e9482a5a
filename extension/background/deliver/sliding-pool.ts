import { FairShare } from '../state/fair-share';
import { Queue } from './queue';

/** What waits with one key on behalf of one holder, first come first. */
interface Group {
  readonly key: string;
  readonly holder: string;
  readonly tasks: Queue<(leave: () => void) => void>;
}

/** What a task calls when it hangs, with what ends it. */
export type Hangs = (end: () => void) => void;

/**
 * Runs tasks side by side: so many in all, so many with the same key, and so many on behalf of one holder that others find room. A task
 * starts as soon as another ends. When there is no place left, the task that hangs longest is ended for another.
 *
 * A group whose key or holder has its share is set aside, with all others of that key or holder, until a task ends. So what a task's end
 * costs does not grow with how many wait.
 */
export class SlidingPool {
  private readonly running = new Map<string, number>();
  private readonly groups = new Map<string, Group>();
  /** In turn: a group that had a place goes to the end. */
  private readonly ready = new Queue<Group>();
  private readonly ofBusyKeys = new Map<string, Queue<Group>>();
  private readonly ofBusyHolders = new Map<string, Queue<Group>>();
  private readonly share: FairShare;
  /** Tasks that hang, longest first: each gives its place back and ends. */
  private readonly hanging = new Set<() => void>();

  constructor(
    most: number,
    private readonly mostOf: (key: string) => number,
  ) {
    this.share = new FairShare(most);
  }

  async run<T>(key: string, holder: string, task: (hangs: Hangs) => Promise<T>): Promise<T> {
    const leave = await new Promise<() => void>((start) => {
      this.wait(key, holder, start);
      this.startNext();
    });
    let giveWay = leave;
    try {
      return await task((end) => {
        giveWay = () => {
          leave();
          end();
        };
        this.hanging.add(giveWay);
        this.startNext();
      });
    } finally {
      this.hanging.delete(giveWay);
      leave();
      this.change(key, -1);
      this.wake(this.ofBusyKeys, key);
      // Each may hold as much as is free, and that has changed.
      for (const each of [...this.ofBusyHolders.keys()]) this.wake(this.ofBusyHolders, each);
      this.startNext();
    }
  }

  private wait(key: string, holder: string, start: (leave: () => void) => void): void {
    const name = nameOf(key, holder);
    const known = this.groups.get(name);
    if (known !== undefined) {
      known.tasks.push(start);
      return;
    }
    const group = { key, holder, tasks: new Queue([start]) };
    this.groups.set(name, group);
    this.ready.push(group);
  }

  private startNext(): void {
    while (this.ready.length > 0 && !(this.share.isFull && this.hanging.size === 0)) {
      const group = this.ready.shift();
      if (group === undefined) return;
      const { key, holder } = group;
      const isBusy = (this.running.get(key) ?? 0) >= this.mostOf(key);
      const leave = isBusy ? null : this.placeFor(holder);
      if (leave !== null) this.startOne(group, leave);
      else if (isBusy) setAside(this.ofBusyKeys, key, group);
      else setAside(this.ofBusyHolders, holder, group);
      // The next of those that were set aside may find what this one left.
      if (!isBusy) this.wake(this.ofBusyKeys, key);
      if (isBusy || leave !== null) this.wake(this.ofBusyHolders, holder);
    }
  }

  private startOne(group: Group, leave: () => void): void {
    const { key, holder, tasks } = group;
    const start = tasks.shift();
    if (tasks.length > 0) this.ready.push(group);
    else this.groups.delete(nameOf(key, holder));
    this.change(key, 1);
    start?.(leave);
  }

  private wake(aside: Map<string, Queue<Group>>, name: string): void {
    const groups = aside.get(name);
    const group = groups?.shift();
    if (group !== undefined) this.ready.push(group);
    if (groups?.length === 0) aside.delete(name);
  }

  private placeFor(holder: string): (() => void) | null {
    const [hanging] = this.hanging;
    if (this.share.isFull && hanging !== undefined) {
      this.hanging.delete(hanging);
      hanging();
    }
    return this.share.acquire(1, holder);
  }

  private change(key: string, by: number): void {
    const running = (this.running.get(key) ?? 0) + by;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
  }
}

const nameOf = (key: string, holder: string): string => `${key} ${holder}`;

function setAside(aside: Map<string, Queue<Group>>, name: string, group: Group): void {
  const groups = aside.get(name) ?? new Queue<Group>();
  groups.push(group);
  aside.set(name, groups);
}
