import { choice, number, pair } from '../../formats/codec/codec';
import { record, required } from '../../formats/codec/record';
import type { LostReports } from './lost-reports';

export const lostReportsJson = record<LostReports>({
  rate: required('rate', number(0, 1)),
  range: required('range', pair(number(0, 1))),
  from: required('from', choice('given', 'reports')),
});
