import type { Source } from '../../../src/model/records';
import type { FilterMap } from '../../../src/model/registration';

/** All filter data of a source: as registered, and the implied `source_type`. */
export const filterDataOf = ({ sourceType, registration }: Source): FilterMap =>
  new Map([...registration.filterData, ['source_type', [sourceType]]]);
