/**
 * The former values of elements' attributes, up to the next microtask. The observer of the document and that of elements outside of it may both
 * report a change, which counts once.
 */
export class FormerValues {
  /** How many changes from each value are known. */
  private readonly known: Counts = new Map();

  /**
   * For the records of one observer, in their order.
   * @returns whether no other observer reported this change: both see the n-th change from a value as their n-th.
   */
  fromObserver(): (element: object, value: string) => boolean {
    const own: Counts = new Map();
    return (element, value) => {
      if (this.known.size === 0) queueMicrotask(() => this.known.clear());
      const nth = countOf(own, element, value) + 1;
      setCount(own, element, value, nth);
      if (nth <= countOf(this.known, element, value)) return false;
      setCount(this.known, element, value, nth);
      return true;
    };
  }
}

type Counts = Map<object, Map<string, number>>;

const countOf = (counts: Counts, element: object, value: string): number =>
  counts.get(element)?.get(value) ?? 0;

function setCount(counts: Counts, element: object, value: string, count: number): void {
  const ofElement = counts.get(element) ?? new Map<string, number>();
  counts.set(element, ofElement.set(value, count));
}
