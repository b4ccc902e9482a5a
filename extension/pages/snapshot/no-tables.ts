import type { Snapshot } from './snapshot';

export const noTables: Snapshot['tables'] = {
  sources: [],
  reports: [],
  finished: [],
  rateLimits: [],
  spends: [],
  log: [],
};
