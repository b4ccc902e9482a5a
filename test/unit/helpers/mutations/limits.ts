import type { Mutation } from './mutation';

/** Limits that count what no report has told. */
export const limits: readonly Mutation[] = [
  {
    breaks: 'conversions count for the limit on attributions before their reports are sent',
    file: 'src/limits/attribution-limits.ts',
    before: "countsWhenSent ? 'sent-report' : 'event-attribution'",
    after: "countsWhenSent ? 'event-attribution' : 'event-attribution'",
    foundBy: ['no budget', 'label-at-attribution-limit'],
  },
  {
    breaks: 'only true reports count for the limit on attributions',
    file: 'src/limits/attribution-limits.ts',
    before: 'event?.countsWhenSent !== true || sourceSite === undefined',
    after: 'event?.countsWhenSent !== true || event.fake || sourceSite === undefined',
    foundBy: ['no budget', 'label-at-attribution-limit-later'],
  },
  {
    breaks: 'a conversion makes room for an impression, because it deletes the other candidates',
    file: 'src/attribution/remove-sources.ts',
    before: 'if (source.countsWhenSent) draft.put',
    after: 'if (!source.countsWhenSent) draft.put',
    foundBy: ['no budget', 'label-with-full-storage'],
  },
  {
    breaks: 'reports that wait count before anybody has received them',
    file: 'src/reports/pending.ts',
    before: 'event?.countsWhenSent !== true || attempts.length > 0',
    after: 'event !== undefined || attempts.length > 0',
    foundBy: ['unbiased label noise', 'label-with-reports-waiting'],
  },
  {
    breaks: 'reports count once they are sent only if they are true',
    file: 'src/reports/event-level-report.ts',
    before: '...(source.countsWhenSent ?',
    after: '...(source.countsWhenSent && !fake ?',
    foundBy: ['no budget', 'label-at-attribution-limit-later'],
  },
];
