import type { ReportFilter } from '../../../collector/store/reports';
import { anySource } from '../../../collector/store/source-filter';

export const anyReport: ReportFilter = {
  kind: null,
  reportingOrigin: null,
  destination: null,
  sourceEventId: null,
  receivedFrom: null,
  receivedTo: null,
  ofSources: anySource,
};
