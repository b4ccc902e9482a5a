/** A number for each group, from 0 on. */
export class GroupNumbers {
  private readonly known = new Map<string, number>();

  of(group: readonly string[]): number {
    const name = JSON.stringify(group);
    const number = this.known.get(name) ?? this.known.size;
    this.known.set(name, number);
    return number;
  }
}
