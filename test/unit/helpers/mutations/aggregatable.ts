import type { Mutation } from './mutation';

const DEBUG = 'src/aggregate/debug-report.ts';
const NULL = 'src/aggregate/null-reports.ts';

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
  {
    breaks: 'conversions whose reports name the day of their ad make no null report',
    file: NULL,
    before: "&& isDrawn(work, 'include', day),",
    after: "&& isDrawn(work, 'include', day) && false,",
    foundBy: ['aggregatable reports', 'ad-before-report-of-its-day'],
  },
  {
    breaks: 'a conversion after an ad makes no null report of other days',
    file: NULL,
    before: '!attributed.has(',
    after: 'attributed.size === 0 && !attributed.has(',
    foundBy: ['aggregatable reports', 'ad-before-report-of-its-day'],
  },
  {
    breaks: 'a conversion also makes null reports of the day of its ad',
    file: NULL,
    before: '!attributed.has(',
    after: '!new Set().has(',
    foundBy: ['aggregatable reports', 'ad-before-report-of-its-day'],
  },
  {
    breaks: 'null reports that name a day are rarer than they should be',
    file: NULL,
    before: 'include: 125n };',
    after: 'include: 150n };',
    foundBy: ['aggregatable reports', 'ad-before-report-of-its-day'],
  },
];
