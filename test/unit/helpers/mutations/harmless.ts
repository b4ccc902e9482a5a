import type { Harmless } from './mutation';

const STORED_ENGINE = 'transactions/stored-engine.ts';

/** What looks like a sabotage and is none. */
export const harmless: readonly Harmless[] = [
  {
    changes: 'outputs are not drawn when a person has all reports sent',
    because: 'they are drawn when their window ends, and held reports are not sent before',
    file: STORED_ENGINE,
    before: 'await this.closeWindows(Infinity, now);',
    after: '',
    configurations: ['unbiased label noise'],
  },
  {
    changes: 'outputs are not drawn before overdue reports are spread',
    because:
      'they are then drawn when reports are sent, so that all of them leave at once, whatever they say',
    file: STORED_ENGINE,
    before: 'tolerance: Duration = milliseconds(0)): Promise<void> {\n    await this.closeWindows(now, now);',
    after: 'tolerance: Duration = milliseconds(0)): Promise<void> {',
    configurations: ['unbiased label noise'],
  },
  {
    changes: 'the third trigger data is sent as the second, in true and invented reports',
    because: 'what is made of an output alone tells no more than the output',
    file: 'src/reports/event-level-report.ts',
    before: 'bucket, attributedTo, fake } = contents;',
    after: 'bucket, attributedTo, fake } = { ...contents, triggerData: Math.min(1, contents.triggerData) };',
    configurations: ['clicks with three trigger data'],
  },
  {
    changes: 'an output that was not drawn is deleted with its source',
    because: 'when a source expires is public, and then nothing is reported in either world',
    file: 'src/attribution/remove-sources.ts',
    before: "    draft.delete('sources', source.id);\n    byOrigin",
    after: "    draft.delete('sources', source.id);\n    draft.delete('undrawn', source.id);\n    byOrigin",
    configurations: ['unbiased label noise'],
  },
  {
    changes: 'invented reports stay when everything is erased',
    because: 'they were drawn before there was a truth',
    file: 'extension/erasing/erase.ts',
    before: 'await tx.table(table).clear();',
    after:
      "if (table === 'reports') {\n        for (const row of rows.reports) if (row.event?.fake !== true) tx.table('reports').delete(row.id);\n        continue;\n      }\n      await tx.table(table).clear();",
    configurations: ['no budget'],
  },
  {
    changes: 'accounts end after a day',
    because: 'what was spent counts on without names',
    file: 'src/limits/joint-budget.ts',
    before: 'after(start, milliseconds(days(period) + MAX_EXPIRY))',
    after: 'after(start, days(1))',
    configurations: ['user, K = 1', 'user-publisher, K = 1'],
  },
];
