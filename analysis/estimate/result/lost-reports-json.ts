import { boolean, choice, number, pair } from '../../../formats/codec/codec';
import { record, required } from '../../../formats/codec/record';
import type { LostFit } from '../unbiased/lost-reports';

/** The share of all groups together. */
export type LostReportsJson = Omit<LostFit, 'ofGroups'>;

export const lostReportsOf = ({ rate, range, from, fits }: LostFit): LostReportsJson => ({
  rate,
  range,
  from,
  fits,
});

export const lostReportsJson = record<LostReportsJson>({
  rate: required('rate', number(0, 1)),
  range: required('range', pair(number(0, 1))),
  from: required('from', choice('given', 'reports', 'delays', 'heartbeats')),
  fits: required('fits', boolean),
});
