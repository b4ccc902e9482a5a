import type { Mutation } from './mutation';

const DEBUG = 'src/aggregate/debug-report.ts';

/** Aggregatable debug reports that tell of an ad. */
export const aggregatable: readonly Mutation[] = [
  {
    breaks: 'only a conversion after an ad makes an aggregatable debug report',
    file: DEBUG,
    before: 'if (trigger.fenced ||',
    after: 'if (source === null || trigger.fenced ||',
    foundBy: ['aggregatable reports', 'ad-before-conversion-with-debug-data'],
  },
  {
    breaks: 'the debug report of a conversion goes to whom its ad was recorded for',
    file: DEBUG,
    before: '    ...addresseeOf(work, null),',
    after: '    ...addresseeOf(work, source),',
    foundBy: ['aggregatable reports', 'ad-before-conversion-with-debug-data-later'],
  },
];
