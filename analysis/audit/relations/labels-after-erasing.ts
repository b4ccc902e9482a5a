import { first, type Relation } from '../relation';
import { bought, shown, type Erasing } from '../world';

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

/** Between the conversion and its report: if either the true or the invented ones stayed, what comes would tell which they are. */
const beforeErasing = (what: Pick<Erasing, 'sites' | 'hours'>): Relation['neighbours'] =>
  function neighbours({ label }) {
    const erasing = { kind: 'erase', at: 10, ...what } as const;
    return {
      worlds: [
        [first, erasing],
        [first, bought(2, 'shop'), erasing],
      ],
      promise: label,
    };
  };

export const labelBeforeErasing: Relation = {
  id: 'label-before-erasing',
  differs: 'a conversion of one impression, erased with everything before its report is due',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: beforeErasing({}),
};

export const labelBeforeErasingSites: Relation = {
  id: 'label-before-erasing-sites',
  differs: 'a conversion of one impression whose page is erased before its report is due',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: beforeErasing({ sites: ['news'] }),
};

export const labelBeforeErasingHours: Relation = {
  id: 'label-before-erasing-hours',
  differs:
    'a conversion of one impression whose hour, but not the conversion’s, is erased before its report is due',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: beforeErasing({ hours: { from: 0.5, to: 1.5 } }),
};
