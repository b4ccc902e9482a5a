/** First come, first served, at the same cost however many wait. */
export class Queue<Item> {
  private readonly added: Item[] = [];
  /** The oldest last. */
  private oldest: Item[];

  constructor(items: readonly Item[] = []) {
    this.oldest = [...items].reverse();
  }

  get length(): number {
    return this.added.length + this.oldest.length;
  }

  push(item: Item): void {
    this.added.push(item);
  }

  shift(): Item | undefined {
    if (this.oldest.length === 0) this.oldest = this.added.splice(0).reverse();
    return this.oldest.pop();
  }
}
