/** Work that is asked for more often than it can or need be done: it never runs twice at once, and pauses in between. */
export class Coalesced {
  private isAsked = false;
  private isBusy = false;
  private isStopped = false;

  /**
   * @param work must not reject
   * @param pause how long to wait after it, in milliseconds
   */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly pause: () => number,
  ) {}

  /** Runs the work now, or once more as soon as it may. */
  ask(): void {
    this.isAsked = true;
    if (!this.isBusy) this.run();
  }

  /** What was asked for since is not done any more. */
  stop(): void {
    this.isStopped = true;
  }

  private run(): void {
    if (this.isStopped) return;
    this.isAsked = false;
    this.isBusy = true;
    void this.work().then(() => {
      setTimeout(() => {
        this.isBusy = false;
        if (this.isAsked) this.run();
      }, this.pause());
    });
  }
}
