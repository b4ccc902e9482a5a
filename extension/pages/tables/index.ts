import type { TableDefinition } from './table';
import { budget } from './budget';
import { log } from './log';
import { refused } from './refused';
import { reports } from './reports';
import { sources } from './sources';
import { triggers } from './triggers';

/** In the order of the navigation. */
// oxlint-disable-next-line typescript/no-explicit-any -- each definition knows its own rows
export const tableDefinitions: readonly TableDefinition<any>[] = [
  sources,
  triggers,
  reports,
  refused,
  log,
  budget,
];
