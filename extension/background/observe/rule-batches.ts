/**
 * Changes the browser's rules with one call at a time. Each call makes all changes that came up during the one before, because the browser
 * takes as long for one rule as for a hundred.
 */
export class RuleBatches<Rule extends { readonly id: number }> {
  private adding: readonly Rule[] = [];
  private removing: readonly number[] = [];
  /** The call that will make the changes. */
  private next: Promise<void> | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly update: (adding: readonly Rule[], removing: readonly number[]) => Promise<void>,
  ) {}

  /** Resolves when the browser has made the changes. */
  change(adding: readonly Rule[], removing: readonly number[]): Promise<void> {
    // The browser removes before it adds, so a rule in the same call would stay.
    this.adding = [...this.adding.filter(({ id }) => !removing.includes(id)), ...adding];
    this.removing = [...this.removing, ...removing];
    this.next ??= this.alone(() => {
      const batch = [this.adding, this.removing] as const;
      [this.adding, this.removing, this.next] = [[], [], null];
      return this.make(...batch);
    });
    return this.next;
  }

  private async make(adding: readonly Rule[], removing: readonly number[]): Promise<void> {
    try {
      await this.update(adding, removing);
    } catch {
      await this.update([], removing);
      await this.addHalves(adding);
    }
  }

  /** One rule that the browser refuses must keep out no others, nor make it be asked for each of them. */
  private async addHalves(refused: readonly Rule[]): Promise<void> {
    if (refused.length < 2) return;
    const middle = Math.ceil(refused.length / 2);
    for (const half of [refused.slice(0, middle), refused.slice(middle)])
      await this.update(half, []).catch(() => this.addHalves(half));
  }

  /** Runs a task between two calls. */
  alone(task: () => Promise<void>): Promise<void> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }
}
