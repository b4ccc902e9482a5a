interface Waiting {
  readonly key: string;
  readonly start: () => void;
}

/** Runs tasks side by side: so many in all, and so many with the same key. A task starts as soon as another ends. */
export class SlidingPool {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private count = 0;

  constructor(
    private readonly most: number,
    private readonly mostOf: (key: string) => number,
  ) {}

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    return new Promise<void>((start) => {
      this.waiting.push({ key, start });
      this.startNext();
    })
      .then(task)
      .finally(() => {
        this.change(key, -1);
        this.startNext();
      });
  }

  private startNext(): void {
    while (this.count < this.most) {
      const index = this.waiting.findIndex(({ key }) => (this.running.get(key) ?? 0) < this.mostOf(key));
      const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
      if (next === undefined) return;
      this.change(next.key, 1);
      next.start();
    }
  }

  private change(key: string, by: number): void {
    this.count += by;
    const running = (this.running.get(key) ?? 0) + by;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
  }
}
