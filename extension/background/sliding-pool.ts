import { FairShare } from './fair-share';

interface Waiting {
  readonly key: string;
  readonly holder: string;
  readonly start: (leave: () => void) => void;
}

/**
 * Runs tasks side by side: so many in all, so many with the same key, and so many on behalf of one holder that others find room. A task
 * starts as soon as another ends.
 */
export class SlidingPool {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private readonly share: FairShare;
  private count = 0;

  constructor(
    private readonly most: number,
    private readonly mostOf: (key: string) => number,
  ) {
    this.share = new FairShare(most);
  }

  async run<T>(key: string, holder: string, task: () => Promise<T>): Promise<T> {
    const leave = await new Promise<() => void>((start) => {
      this.waiting.push({ key, holder, start });
      this.startNext();
    });
    try {
      return await task();
    } finally {
      leave();
      this.change(key, -1);
      this.startNext();
    }
  }

  private startNext(): void {
    for (let index = 0; index < this.waiting.length && this.count < this.most;) {
      const leave = this.enter(this.waiting[index]);
      const [next] = leave === null ? [] : this.waiting.splice(index, 1);
      if (leave === null || next === undefined) index += 1;
      else next.start(leave);
    }
  }

  private enter(waiting: Waiting | undefined): (() => void) | null {
    if (waiting === undefined || (this.running.get(waiting.key) ?? 0) >= this.mostOf(waiting.key))
      return null;
    const leave = this.share.take(1, waiting.holder);
    if (leave !== null) this.change(waiting.key, 1);
    return leave;
  }

  private change(key: string, by: number): void {
    this.count += by;
    const running = (this.running.get(key) ?? 0) + by;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
  }
}
