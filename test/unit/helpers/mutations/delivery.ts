import type { Mutation } from './mutation';

const ENGINE = 'src/engine.ts';
const RESCHEDULE = 'src/reports/reschedule.ts';
const ATTEMPT = 'src/reports/attempt.ts';

/** Tries by which true reports and invented ones can be told apart. */
export const delivery: readonly Mutation[] = [
  {
    breaks: 'true reports leave before invented ones',
    file: RESCHEDULE,
    before: 'shuffle(random(0), byContent(reports))',
    after: '[...reports].sort((a, b) => Number(a.event?.fake) - Number(b.event?.fake))',
    foundBy: ['no budget', 'order-of-arrival'],
  },
  {
    breaks: 'reports leave in the order in which they were made',
    file: RESCHEDULE,
    before: 'shuffle(random(0), byContent(reports))',
    after: '[...reports].sort((a, b) => a.id - b.id)',
    foundBy: ['no budget', 'order-of-arrival'],
  },
  {
    breaks: 'invented reports are tried only once',
    file: ATTEMPT,
    before: 'const end = endOfReport(step, tried, now);',
    after: "const end = tried.event?.fake === true ? 'given-up' : endOfReport(step, tried, now);",
    foundBy: ['servers that fail first', 'label-of-impression'],
  },
  {
    breaks: 'true reports are tried again sooner',
    file: ATTEMPT,
    before: 'nextAttempt: after(now, step.after)',
    after: 'nextAttempt: after(now, (step.after / (tried.event?.fake === true ? 1 : 2)) as never)',
    foundBy: ['servers that fail first', 'label-of-impression'],
  },
  {
    breaks: 'two reports leave in the order in which they were made',
    file: RESCHEDULE,
    before: 'reports.length < 2 ?',
    after: 'reports.length < 3 ?',
    foundBy: ['no budget', 'order-of-arrival'],
  },
  {
    breaks: 'invented reports are given up at the second failure',
    file: ATTEMPT,
    before: 'const end = endOfReport(step, tried, now);',
    after:
      "const end = tried.event?.fake === true && tried.attempts.length > 1 ? 'given-up' : endOfReport(step, tried, now);",
    foundBy: ['servers that fail first', 'label-of-impression'],
  },
  {
    breaks: 'as Chrome does, only true reports are tried again',
    file: ATTEMPT,
    before: 'const end = endOfReport(step, tried, now);',
    after:
      "const end = profile === 'chrome' && tried.event?.fake === true ? 'given-up' : endOfReport(step, tried, now);",
    foundBy: ['servers that do not answer first, tried as Chrome does', 'label-of-impression'],
  },
  {
    breaks: 'as Chrome does, true reports are tried again later',
    file: ATTEMPT,
    before: 'nextAttempt: after(now, step.after)',
    after:
      "nextAttempt: after(now, (step.after * (profile === 'chrome' && tried.event?.fake === false ? 3 : 1)) as never)",
    foundBy: ['servers that do not answer first, tried as Chrome does', 'label-of-impression'],
  },
  {
    breaks: 'invented reports are given up after ten days',
    file: ATTEMPT,
    before: 'const end = endOfReport(step, tried, now);',
    after:
      "const end = tried.event?.fake === true && step.kind === 'retry' && now - tried.reportTime > 864e6 ? 'aged-out' : endOfReport(step, tried, now);",
    foundBy: ['servers that always fail', 'label-of-impression'],
  },
  {
    breaks: 'invented reports are put off for longer',
    file: RESCHEDULE,
    before: 'nextAttempt: until }',
    after: 'nextAttempt: after(until, (report.event?.fake ? 1000 : 0) as never) }',
    foundBy: ['servers that do not answer first, tried as Chrome does', 'order-of-arrival'],
  },
  {
    breaks: 'only invented overdue reports are spread',
    file: RESCHEDULE,
    before: '(_report, words) =>\n    after(now, milliseconds(',
    after:
      '({ event, nextAttempt }, words) =>\n    event?.fake === false ? nextAttempt : after(now, milliseconds(',
    foundBy: ['no budget', 'label-while-offline'],
  },
  {
    breaks: 'only invented reports are sent by hand',
    file: RESCHEDULE,
    before: '({ nextAttempt }) => moment(',
    after: '({ nextAttempt, event }) => event?.fake === false ? nextAttempt : moment(',
    foundBy: ['no budget', 'label-when-hurried'],
  },
  {
    breaks: 'only invented reports are taken up again after the clock was ahead',
    file: RESCHEDULE,
    before: 'if (nextAttempt !== report.nextAttempt)',
    after: 'if (nextAttempt !== report.nextAttempt && (last < Infinity || report.event?.fake !== false))',
    foundBy: ['servers that fail first', 'label-with-clock-ahead'],
  },
  {
    breaks: 'invented reports are deleted with their source when it has expired',
    file: 'src/attribution/expiry.ts',
    before: 'deleteSources(draft, ids);',
    after:
      "deleteSources(draft, ids);\n  for (const id of ids) for (const one of draft.get('sourceReports', id)?.reports ?? []) if (draft.get('reports', one)?.event?.fake) draft.delete('reports', one);",
    foundBy: ['no budget', 'label-while-offline'],
  },
  {
    breaks: 'three reports leave in the order in which they were made',
    file: RESCHEDULE,
    before: 'reports.length < 2 ?',
    after: 'reports.length !== 2 ?',
    foundBy: ['clicks with eight trigger data', 'further-conversions'],
  },
  {
    breaks: 'invented reports leave at once when the device is online again',
    file: RESCHEDULE,
    before: '(_report, words) =>\n    after(now,',
    after: '({ event }, words) =>\n    event?.fake ? now : after(now,',
    foundBy: ['no budget', 'label-while-offline'],
  },
  {
    breaks: 'invented reports leave before they are due after the clock was ahead',
    file: RESCHEDULE,
    before:
      '({ nextAttempt, reportTime }) => {\n    const latest = latestTry(now);\n    // Not at once: it may have been tried before its window had ended.\n    return nextAttempt > latest && reportTime <= latest ? reportTime',
    after:
      '({ nextAttempt, reportTime, event }) => {\n    const latest = latestTry(now);\n    return nextAttempt > latest && reportTime <= latest ? event?.fake ? now : reportTime',
    foundBy: ['servers that fail first', 'label-with-clock-ahead'],
  },
  {
    breaks: 'a source whose transaction failed gets no noise in the next one',
    file: ENGINE,
    before: 'parsed, registration, conditions);\n      },',
    after:
      "parsed, registration, Object.isFrozen(parsed) ? { ...conditions, noise: { kind: 'off' } } : (Object.freeze(parsed), conditions));\n      },",
    foundBy: ['a process that is killed in each transaction', 'label-of-impression'],
  },
];
