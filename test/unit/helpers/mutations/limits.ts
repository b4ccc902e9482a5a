import type { Mutation } from './mutation';

const ATTRIBUTIONS = 'src/limits/attribution-limits.ts';
const PENDING = 'src/reports/pending.ts';
const AGGREGATE = 'src/aggregate/attribution.ts';

/** Limits on reports that count what no report has told. */
export const limits: readonly Mutation[] = [
  {
    breaks: 'conversions count for the limit on attributions before their reports are sent',
    file: ATTRIBUTIONS,
    before: "countsWhenSent ? 'sent-report' : 'event-attribution'",
    after: "countsWhenSent ? 'event-attribution' : 'event-attribution'",
    foundBy: ['no budget', 'label-at-attribution-limit'],
  },
  {
    breaks: 'only true reports count for the limit on attributions',
    file: ATTRIBUTIONS,
    before: 'event?.countsWhenSent !== true || sourceSite === undefined',
    after: 'event?.countsWhenSent !== true || event.fake || sourceSite === undefined',
    foundBy: ['no budget', 'label-at-attribution-limit-later'],
  },
  {
    breaks: 'reports that wait count before anybody has received them',
    file: PENDING,
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
  {
    breaks: 'a true report counts for the destination of its conversion only',
    file: ATTRIBUTIONS,
    before: 'const pairs = event.destinations.map((destination) => ({ sourceSite, destination }));',
    after:
      'const counted = event.attributedTo === null ? event.destinations : [event.attributedTo];\n  const pairs = counted.map((destination) => ({ sourceSite, destination }));',
    foundBy: ['no budget', 'destination-of-label-at-attribution-limit'],
  },
  {
    breaks: 'a report counts for the first of its destinations only',
    file: ATTRIBUTIONS,
    before: 'const pairs = event.destinations.map(',
    after: 'const pairs = event.destinations.slice(0, 1).map(',
    foundBy: ['truthful sources', 'conversions-beyond-attributions'],
  },
  {
    breaks: 'aggregatable reports use up the ad techs of a pair',
    file: ATTRIBUTIONS,
    before: "scope === 'sent-report' ? recent.filter((one) => one.scope === scope) : recent",
    after: 'scope === null ? [] : recent',
    foundBy: ['aggregatable reports', 'label-of-other-ad-tech-at-limit', 'everyone'],
  },
  {
    breaks: 'aggregatable reports use up the attributions of a pair',
    file: ATTRIBUTIONS,
    before: 'recent.filter((one) => one.scope === scope && siteOf(one.origin) === site).length',
    after: 'recent.filter((one) => siteOf(one.origin) === site).length',
    foundBy: ['aggregatable reports', 'label-at-attribution-limit'],
  },
  {
    breaks: 'aggregatable reports count for no limit',
    file: AGGREGATE,
    before: 'countAttribution(work, attribution, trigger.time);',
    after: '{}',
    foundBy: ['truthful sources', 'ad-beyond-attributions'],
  },
  {
    breaks: 'of many attributions one fewer is kept than the limit',
    file: ATTRIBUTIONS,
    before: 'return isNewest || before < maxAttributions;',
    after: 'return isNewest || before < maxAttributions - 1;',
    foundBy: ['truthful sources', 'conversion-beyond-attributions'],
  },
  {
    breaks: 'of many attributions only the newest of each ad tech is kept',
    file: ATTRIBUTIONS,
    before: 'return isNewest || before < maxAttributions;',
    after: 'return isNewest && before < maxAttributions;',
    foundBy: ['truthful sources', 'conversion-beyond-attributions'],
  },
  {
    breaks: 'of many attributions the oldest are kept',
    file: ATTRIBUTIONS,
    before: '.sort((a, b) => b.time - a.time)',
    after: '.sort((a, b) => a.time - b.time)',
    foundBy: ['truthful sources', 'conversion-beyond-attributions'],
  },
  {
    breaks: 'there may be one ad tech more of a pair',
    file: ATTRIBUTIONS,
    before: 'origins, limits.maxAttributionReportingOrigins)',
    after: 'origins - 1, limits.maxAttributionReportingOrigins)',
    foundBy: ['truthful sources', 'conversion-beyond-origins'],
  },
  {
    breaks: 'reports that were tried count among those that wait only if they are true',
    file: PENDING,
    before: 'event?.countsWhenSent !== true || attempts.length > 0;',
    after: 'event?.countsWhenSent !== true || (attempts.length > 0 && !event.fake);',
    foundBy: ['servers that fail first', 'label-with-tried-reports-waiting'],
  },
  {
    breaks: 'invented reports count from the start of their window',
    file: 'src/limits/attribution-limits.ts',
    before: 'reportingOrigin: origin, reportTime: time } = report;\n',
    after:
      'reportingOrigin: origin } = report;\n  const time = event?.fake ? event.triggerTime : report.reportTime;\n',
    foundBy: ['no budget', 'label-before-end-of-attribution-window'],
  },
  {
    breaks: 'true reports count from when they are sent',
    file: 'src/limits/attribution-limits.ts',
    before: 'reportingOrigin: origin, reportTime: time } = report;\n',
    after:
      'reportingOrigin: origin } = report;\n  const time = event?.fake === false ? now : report.reportTime;\n',
    foundBy: ['no budget', 'label-before-end-of-attribution-window'],
  },
  {
    breaks: 'the settings at the conversion decide how it counts',
    file: 'src/reports/event-level-report.ts',
    before: '...(source.countsWhenSent ?',
    after: "...(work.measurement.limits === 'private' ?",
    foundBy: ['no budget', 'label-across-change-of-limits'],
  },
  {
    breaks: 'the settings at the conversion decide whether the others make room',
    file: 'src/attribution/remove-sources.ts',
    before:
      'forgetSources({ draft }: Work, sources: readonly Source[]): void {\n  const gone: InternalId[] = [];\n  for (const source of sources)\n    if (source.countsWhenSent) draft',
    after:
      "forgetSources({ draft, measurement }: Work, sources: readonly Source[]): void {\n  const gone: InternalId[] = [];\n  for (const source of sources)\n    if (measurement.limits === 'private') draft",
    foundBy: ['no budget', 'label-across-change-of-limits'],
  },
  {
    breaks: 'true reports count for the limit on attributions only if they arrived',
    file: 'src/reports/attempt.ts',
    before: 'if (report.attempts.length === 0) countSentReport',
    after:
      "if (report.attempts.length === 0 && (report.event?.fake === true || (outcome.kind === 'answered' && outcome.status < 300))) countSentReport",
    foundBy: ['servers that fail first', 'label-at-attribution-limit-later'],
  },
  {
    breaks: 'invented reports count at each try',
    file: 'src/reports/attempt.ts',
    before: 'if (report.attempts.length === 0) countSentReport',
    after: 'if (report.attempts.length === 0 || report.event?.fake === true) countSentReport',
    foundBy: ['servers that fail first', 'label-at-second-attribution'],
  },
];
