import { listen } from '../listen';

/** Half the pixels for one continuous second (in ms): the usual definition of a viewable display ad. */
const viewableShare = 0.5;
const viewableTime = 1000;

/**
 * Reports each element once, when it is viewable while the document is visible. An element more than twice as large as the viewport never
 * is.
 */
export class ViewabilityWatch {
  readonly #onViewable: (element: Element) => void;
  readonly #intersections: IntersectionObserver;
  readonly #added = new WeakSet<Element>();
  readonly #inView = new Set<Element>();
  readonly #timers = new Map<Element, ReturnType<typeof setTimeout>>();
  /** Those in view that had no area. */
  readonly #empty = new WeakSet<Element>();
  readonly #sizes = new ResizeObserver((entries) => this.#lookAgain(entries.map(({ target }) => target)));

  constructor(onViewable: (element: Element) => void) {
    this.#onViewable = onViewable;
    this.#intersections = new IntersectionObserver(
      (entries) => {
        entries.forEach((entry) => this.#update(entry));
        this.#watchWhenFilled(entries.map(({ target }) => target).filter((one) => this.#empty.has(one)));
      },
      { threshold: viewableShare },
    );
    listen(document, 'visibilitychange', () => {
      this.#inView.forEach((element) => this.#restart(element));
    });
  }

  /** Has no effect for an element that was added before. */
  add(element: Element): void {
    if (this.#added.has(element)) return;
    this.#added.add(element);
    this.#intersections.observe(element);
  }

  #update({
    target,
    isIntersecting,
    intersectionRatio,
    boundingClientRect,
  }: IntersectionObserverEntry): void {
    const inView = isIntersecting && intersectionRatio >= viewableShare;
    const isEmpty = boundingClientRect.width === 0 || boundingClientRect.height === 0;
    if (inView && isEmpty) this.#empty.add(target);
    if (inView && !isEmpty) this.#inView.add(target);
    else this.#inView.delete(target);
    this.#restart(target);
  }

  /** Restarts the second if the element is in view. */
  #restart(element: Element): void {
    clearTimeout(this.#timers.get(element));
    if (!document.hidden && this.#inView.has(element)) {
      this.#timers.set(
        element,
        setTimeout(() => this.#finish(element), viewableTime),
      );
    } else this.#timers.delete(element);
  }

  #finish(element: Element): void {
    this.#intersections.unobserve(element);
    this.#inView.delete(element);
    this.#timers.delete(element);
    this.#onViewable(element);
  }

  /**
   * The observer counts an element without area, such as an image before it loads, as fully in view. It reports no change when the element
   * grows.
   */
  #watchWhenFilled(elements: readonly Element[]): void {
    const all = new Set(elements);
    const known = new Map<Element, boolean>();
    for (const element of all) {
      // The boxes in another one are among those of that one.
      if (isUnder(element.parentElement, (one) => all.has(one), known)) continue;
      // The box of an inline element, such as a link around an image, has no size of its own.
      [element, ...element.querySelectorAll('*')].forEach((box) => this.#sizes.observe(box));
    }
  }

  /** Looks at the empty elements around boxes that have another size. */
  #lookAgain(boxes: readonly Element[]): void {
    const known = new Map<Element, boolean>();
    for (const box of boxes)
      if (!isUnder(box, (element) => this.#isStillEmpty(element), known)) this.#sizes.unobserve(box);
  }

  #isStillEmpty(element: Element): boolean {
    if (!this.#empty.has(element)) return false;
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return true;
    this.#empty.delete(element);
    this.#intersections.unobserve(element);
    this.#intersections.observe(element);
    return false;
  }
}

/**
 * Whether this element or one around it is such a one.
 * @param known the answers so far, so that each element is asked once, however deep others are in it
 */
function isUnder(
  element: Element | null,
  isSuch: (element: Element) => boolean,
  known: Map<Element, boolean>,
): boolean {
  const path: Element[] = [];
  let around = element;
  for (; around !== null && !known.has(around); around = around.parentElement) path.push(around);
  let found = around !== null && known.get(around) === true;
  for (const one of path.reverse()) {
    // Each is asked, because the answer can have an effect.
    found = isSuch(one) || found;
    known.set(one, found);
  }
  return found;
}
