import type { Mutation } from './mutation';

const PART = 'extension/erasing/erase-part.ts';

/** Erasing that tells which of the reports that wait are true. */
export const erasing: readonly Mutation[] = [
  {
    breaks: 'only invented reports are erased with everything',
    file: 'extension/erasing/erase.ts',
    before: 'await tx.table(table).clear();',
    after:
      "if (table === 'reports') {\n        for (const row of rows.reports) if (row.event?.fake === true) tx.table('reports').delete(row.id);\n        continue;\n      }\n      await tx.table(table).clear();",
    foundBy: ['no budget', 'label-before-erasing'],
  },
  {
    breaks: 'true reports stay when their page is erased',
    file: PART,
    before: 'for (const row of erased) remove(row);',
    after:
      "for (const row of erased) if (scope.kind === 'time' || !('nextAttempt' in row) || row.event?.fake !== false) remove(row);",
    foundBy: ['no budget', 'label-before-erasing-sites'],
  },
  {
    breaks: 'true reports stay when the hour of their impression is erased',
    file: PART,
    before: 'for (const row of erased) remove(row);',
    after:
      "for (const row of erased) if (scope.kind === 'sites' || !('nextAttempt' in row) || row.event?.fake !== false) remove(row);",
    foundBy: ['no budget', 'label-before-erasing-hours'],
  },
];
