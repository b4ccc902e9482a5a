import { FairShare } from '../state/fair-share';

interface Waiting {
  readonly key: string;
  readonly holder: string;
  readonly start: (leave: () => void) => void;
}

/** What a task calls when it hangs, with what ends it. */
export type Hangs = (end: () => void) => void;

/**
 * Runs tasks side by side: so many in all, so many with the same key, and so many on behalf of one holder that others find room. A task
 * starts as soon as another ends. When there is no place left, the task that hangs longest is ended for another.
 */
export class SlidingPool {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
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
      this.waiting.push({ key, holder, start });
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
      this.startNext();
    }
  }

  private startNext(): void {
    for (let index = 0; index < this.waiting.length;) {
      const next = this.waiting[index];
      const leave = next === undefined || this.isBusy(next.key) ? null : this.placeFor(next.holder);
      if (next !== undefined && leave !== null) {
        this.waiting.splice(index, 1);
        this.change(next.key, 1);
        next.start(leave);
      } else if (this.share.isFull && this.hanging.size === 0) return;
      else index += 1;
    }
  }

  private isBusy(key: string): boolean {
    return (this.running.get(key) ?? 0) >= this.mostOf(key);
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
