import { boolean, choice, number, pair } from '../../formats/codec/codec';
import { record, required } from '../../formats/codec/record';
import type { LostFit } from './lost-reports';

export const lostReportsJson = record<LostFit>({
  rate: required('rate', number(0, 1)),
  range: required('range', pair(number(0, 1))),
  from: required('from', choice('given', 'reports', 'delays', 'heartbeats')),
  fits: required('fits', boolean),
});
