import { first, withBoth, type Relation } from '../relation';
import { shown, type Erasing } from '../world';
import { ofLabel, withConversion } from './probes';

const afterErasing = (sites: readonly string[] | undefined): Relation['neighbours'] =>
  function neighbours({ later, labels, labelsOfAny }) {
    const second = later ?? ((at: number) => shown(at, 2, 'blog', 'mall'));
    const erasing = { kind: 'erase', at: 40, ...(sites === undefined ? {} : { sites }) } as const;
    return {
      worlds: withBoth(second(60), [erasing]),
      promise: later === null ? labelsOfAny(2) : labels(2),
    };
  };

/** Between the conversion and its report: if either the true or the invented ones stayed, what comes would tell which they are. */
const beforeErasing = (what: Pick<Erasing, 'sites' | 'hours'>): Relation['neighbours'] =>
  withConversion([first], [{ kind: 'erase', at: 10, ...what }], ofLabel);

export const erasings: readonly Relation[] = [
  {
    id: 'labels-after-erasing',
    differs: 'the conversions of a unit before and after everything was erased',
    onRequest: true,
    neighbours: afterErasing(undefined),
  },
  {
    id: 'labels-after-erasing-sites',
    differs: 'the conversions of a unit before and after its page and its ad tech were erased',
    onRequest: true,
    neighbours: afterErasing(['news', 'adtech']),
  },
  {
    id: 'label-before-erasing',
    differs: 'a conversion of one impression, erased with everything before its report is due',
    onRequest: true,
    neighbours: beforeErasing({}),
  },
  {
    id: 'label-before-erasing-sites',
    differs: 'a conversion of one impression whose page is erased before its report is due',
    onRequest: true,
    neighbours: beforeErasing({ sites: ['news'] }),
  },
  {
    id: 'label-before-erasing-hours',
    differs:
      'a conversion of one impression whose hour, but not the conversion’s, is erased before its report is due',
    onRequest: true,
    neighbours: beforeErasing({ hours: { from: 0.5, to: 1.5 } }),
  },
];
