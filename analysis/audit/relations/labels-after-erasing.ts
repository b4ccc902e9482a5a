import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

const afterErasing = (sites: readonly string[] | undefined): Relation['neighbours'] =>
  function neighbours({ later, labels, labelsOfAny }) {
    const second = later ?? ((at: number) => shown(at, 2, 'blog', 'mall'));
    const erasing = { kind: 'erase', at: 40, ...(sites === undefined ? {} : { sites }) } as const;
    return {
      worlds: [
        [first, erasing, second(60)],
        [first, bought(2, 'shop'), erasing, second(60), bought(61, 'mall')],
      ],
      promise: later === null ? labelsOfAny(2) : labels(2),
    };
  };

export const labelsAfterErasing: Relation = {
  id: 'labels-after-erasing',
  differs: 'the conversions of a unit before and after everything was erased',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: afterErasing(undefined),
};

export const labelsAfterErasingSites: Relation = {
  id: 'labels-after-erasing-sites',
  differs: 'the conversions of a unit before and after its page and its ad tech were erased',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: afterErasing(['news', 'adtech']),
};
