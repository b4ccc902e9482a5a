import type { Mutation } from './mutation';

const REPORT = 'src/reports/event-level-report.ts';
const BODY = 'src/reports/body.ts';
const EVENT = 'src/attribution/event-level.ts';
const AGGREGATABLE = 'src/aggregate/aggregatable-report.ts';
const FLEXIBLE = 'src/attribution/flexible-reports.ts';

/** Reports by which true ones and invented ones can be told apart. */
export const reports: readonly Mutation[] = [
  {
    breaks: 'invented reports of later windows are not made',
    file: REPORT,
    before: 'const { windows } = specOf(registration, triggerData);',
    after: 'if (windowIndex > 0) continue;\n    const { windows } = specOf(registration, triggerData);',
    foundBy: ['clicks with two windows', 'window-of-conversion'],
  },
  {
    breaks: 'only the first invented report of a state is made',
    file: REPORT,
    before: 'const { windows } = specOf(registration, triggerData);',
    after: 'if (bucket > 0) continue;\n    const { windows } = specOf(registration, triggerData);',
    foundBy: ['sums of values in two windows', 'label-of-impression'],
  },
  {
    breaks: 'ids of invented reports have another version digit',
    file: REPORT,
    before: 'contents, randomUuid(work.random)',
    after: "contents, fake ? randomUuid(work.random).replace(/-4/, '-5') : randomUuid(work.random)",
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'all invented reports have the same id',
    file: REPORT,
    before: 'contents, randomUuid(work.random)',
    after: "contents, fake ? '00000000-0000-4000-8000-000000000000' : randomUuid(work.random)",
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'the id of a report tells its trigger data',
    file: REPORT,
    before: 'contents, randomUuid(work.random)',
    after:
      'contents, fake ? randomUuid(work.random) : `${randomUuid(work.random).slice(0, 35)}${triggerData}`',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'the rate is left out of the reports of noised sources',
    file: BODY,
    before: 'randomizedTriggerRate: rate === null ? null : roundedRate(rate),',
    after:
      "randomizedTriggerRate: rate === null || source.noise.kind === 'replaced' ? null : roundedRate(rate),",
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'the rate of noised sources is another one',
    file: BODY,
    before: 'roundedRate(rate)',
    after: "roundedRate((source.noise.kind === 'replaced' ? 1 : rate) as never)",
    foundBy: ['clicks', 'label-of-impression'],
  },
  {
    breaks: 'invented reports of flexible sources have the bucket of the first report',
    file: REPORT,
    before: 'bucket: registration.flexible ? bucket : null,',
    after: 'bucket: registration.flexible ? 0 : null,',
    foundBy: ['sums of values in two windows', 'label-of-impression'],
  },
  {
    breaks: 'invented reports are due a second later',
    file: REPORT,
    before: 'nextAttempt: work.delay ? contents.reportTime : now,',
    after: 'nextAttempt: work.delay ? after(contents.reportTime, (fake ? 1000 : 0) as never) : now,',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'invented reports say that they were due a second later',
    file: REPORT,
    before: 'reportTime: after(source.time, end),',
    after: 'reportTime: after(source.time, (end + 1000) as never),',
    foundBy: ['clicks with two windows', 'label-of-impression'],
  },
  {
    breaks: 'a source that is noised to nothing reports its conversions',
    file: EVENT,
    before: "source.noise.kind !== 'replaced', { noise }",
    after: 'true, { noise }',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'flexible sources that are noised to nothing report their conversions',
    file: FLEXIBLE,
    before: "if (source.noise.kind !== 'replaced') putIn(",
    after: "if (source.noise.kind !== 'replaced' || source.reportCount === 0) putIn(",
    foundBy: ['sums of values in two windows', 'label-of-impression'],
  },
  {
    breaks: 'invented reports are removed with their source, true ones stay',
    file: REPORT,
    before: 'triggerTime: after(source.time, start),',
    after: 'triggerTime: after(source.time, end),',
    foundBy: ['no budget', 'label-before-removal'],
  },
  {
    breaks: 'all pending reports of a source are removed with it if it has made none',
    file: 'src/attribution/remove-sources.ts',
    before: ': event.triggerTime >= minTriggerTime',
    after: ': event.fake || event.triggerTime >= minTriggerTime',
    foundBy: ['clicks with two windows', 'label-before-removal'],
  },
  {
    breaks: 'true reports are copied for debugging without permission',
    file: EVENT,
    before: 'if (source.registration.debugKey !== null && trigger.registration.debugKey !== null) {',
    after: 'if (source !== null) {',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'verbose debug reports are made without permission',
    file: 'src/reports/verbose.ts',
    before: '!source.registration.debugReporting || !source.debugAllowed || source.fenced',
    after: '!source.registration.debugReporting || source.fenced',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'aggregatable reports are made although they are off',
    file: 'src/attribution/process-trigger.ts',
    before: 'work.measurement.aggregatableReports && hasAggregatableData',
    after: 'hasAggregatableData',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'with a context id no null report is made for a conversion without an ad',
    file: 'src/aggregate/null-reports.ts',
    before: '(isSentUnconditionally(aggregatable) || isDrawn',
    after: '(isDrawn',
    foundBy: ['aggregatable reports', 'ad-before-conversion-with-context'],
  },
  {
    breaks: 'with a context id only null reports are sent at once',
    file: AGGREGATABLE,
    before: 'const reportTime = after(trigger.time, deliveryDelay(work, trigger));',
    after: 'const reportTime = after(trigger.time, (source === null ? 0 : 1000) as never);',
    foundBy: ['aggregatable reports', 'ad-before-conversion-with-context'],
  },
  {
    breaks: 'invented reports of the third window are not made',
    file: REPORT,
    before: 'const { windows } = specOf(registration, triggerData);',
    after: 'if (windowIndex > 1) continue;\n    const { windows } = specOf(registration, triggerData);',
    foundBy: ['clicks with three windows', 'window-of-conversion'],
  },
  {
    breaks: 'invented reports of the third trigger data are not made',
    file: REPORT,
    before: 'const { windows } = specOf(registration, triggerData);',
    after: 'if (triggerData > 1) continue;\n    const { windows } = specOf(registration, triggerData);',
    foundBy: ['clicks with three trigger data', 'further-conversions'],
  },
  {
    breaks: 'invented reports of the second of two specs are not made',
    file: REPORT,
    before: 'const { windows } = specOf(registration, triggerData);',
    after:
      'const { windows } = specOf(registration, triggerData);\n    if (windows !== registration.triggerSpecs[0]?.windows) continue;',
    foundBy: ['sums and numbers of conversions', 'further-conversions'],
  },
  {
    breaks: 'true reports of the third window say a second later',
    file: EVENT,
    before: 'reportTime: match.reportTime,',
    after:
      'reportTime: (match.reportTime > 203_600_000 ? match.reportTime + 1000 : match.reportTime) as never,',
    foundBy: ['clicks with three windows', 'window-of-conversion'],
  },
  {
    breaks: 'a true report names only the destination of its conversion',
    file: BODY,
    before: 'destinations: registration.destinations,',
    after:
      "destinations: 'attributedTo' in content && typeof content.attributedTo === 'string' ? [content.attributedTo as never] : registration.destinations,",
    foundBy: ['no budget', 'label-beside-impression'],
  },
  {
    breaks: 'a conversion before its impression keeps its time',
    file: REPORT,
    before: 'moment(Math.max(source.time, triggerTime));',
    after: 'moment(source === null ? 0 : triggerTime);',
    foundBy: ['no budget', 'label-before-removal-with-clock-back'],
  },
  {
    breaks: 'a deduplication key is used up for the other impressions, too',
    file: EVENT,
    before: 'const { deduplicationKey } = match.config;',
    after:
      "const { deduplicationKey } = match.config;\n  if (deduplicationKey !== null)\n    for (const to of source.registration.destinations)\n      for (const other of draft.candidates(`${source.reportingOrigin} ${to}`))\n        if (other.id !== source.id) draft.put('sources', { ...other, deduplicationKeys: [...other.deduplicationKeys, deduplicationKey] });",
    foundBy: ['no budget', 'label-beside-impression'],
  },
  {
    breaks: 'ids of null reports have another version digit',
    file: AGGREGATABLE,
    before: 'reportId: randomUuid(work.random),',
    after:
      "reportId: source === null ? randomUuid(work.random).replace(/-4/, '-5') : randomUuid(work.random),",
    foundBy: ['aggregatable reports', 'ad-before-conversion-with-context'],
  },
  {
    breaks: 'a report with a higher priority does not replace the earlier one',
    file: 'src/attribution/event-level.ts',
    before: 'replaced === null ? source : withdrawn',
    after: 'replaced === null || replaced.id >= 0 ? source : withdrawn',
    foundBy: ['no budget', 'further-conversions'],
  },
  {
    breaks: 'a source that is noised to nothing reports its third conversion',
    file: 'src/attribution/event-level.ts',
    before: "source.noise.kind !== 'replaced', { noise }",
    after: "source.noise.kind !== 'replaced' || source.reportCount === 2, { noise }",
    foundBy: ['clicks with eight trigger data', 'further-conversions'],
  },
  {
    breaks: 'the third trigger data of invented reports is sent as the second',
    file: 'src/reports/event-level-report.ts',
    before: 'const contents: ReportContents = {\n      triggerData,',
    after: 'const contents: ReportContents = {\n      triggerData: triggerData === 2 ? 1 : triggerData,',
    foundBy: ['clicks with three trigger data', 'further-conversions'],
  },
  {
    breaks: 'invented reports go to their own URL, true ones to the collector',
    file: 'src/reports/event-level-report.ts',
    before: '...addresseeOf(work, source),',
    after: '...(contents.fake ? {} : addresseeOf(work, source)),',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'null reports are sent at once',
    file: 'src/aggregate/null-reports.ts',
    before: 'addReport(work.draft, obtainNullReport(work, trigger, daysBefore(trigger, day), addressee));',
    after:
      'addReport(work.draft, { ...obtainNullReport(work, trigger, daysBefore(trigger, day), addressee), nextAttempt: trigger.time });',
    foundBy: ['aggregatable reports', 'ad-before-reported-conversion'],
  },
  {
    breaks: 'the settings at the conversion decide whether its report is held',
    file: 'src/reports/event-level-report.ts',
    before: "source.noise.kind === 'undrawn' && attributedTo !== null",
    after:
      "work.measurement.labelNoise.kind !== 'rr' && source.noise.kind === 'undrawn' && attributedTo !== null",
    foundBy: ['unbiased label noise', 'label-across-change-of-settings'],
  },
  {
    breaks: 'true reports go where those of a new source go',
    file: 'src/reports/event-level-report.ts',
    before: '...addresseeOf(work, source),',
    after: '...addresseeOf(work, fake ? source : null),',
    foundBy: ['no budget', 'label-across-change-of-settings'],
  },
];
