import type { LogEntry } from '../../../src/model/decision';
import type { Source } from '../../../src/model/records';
import { serializeSource } from '../../../src/registration/serialize';
import { t } from '../../i18n';
import { whatOf } from '../data/tables/log';
import type { ReportRow } from '../data/report-row';
import { reportStatus } from '../data/tables/reports';
import { showDecimal } from '../lib/words';
import { outcomeOf } from './outcome';
import { whySentence, whySteps } from './why';
import { check, figuresOf, type Draft } from './workbench';

/** Of one thing, to be pasted into an issue or a message. */
interface Told {
  readonly title: string;
  readonly facts: readonly (readonly [term: string, value: string])[];
  readonly steps?: readonly string[];
  readonly json: unknown;
}

/** A conversion, a source or a refused header as it was registered, and why it had its outcome. */
export function registrationMarkdown(entry: LogEntry, title: string, truth: boolean): string {
  return markdown({
    title,
    facts: [
      [t('registration_what'), whatOf(entry)],
      [t('registration_time'), isoTime(entry.time)],
      [t('registration_page'), entry.contextOrigin],
      [t('registration_reporting_origin'), entry.reportingOrigin],
      [t('registration_tab_why'), `${outcomeOf(entry, truth).words}. ${whySentence(entry, truth)}`],
    ],
    steps: whySteps(entry, truth)
      .filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
      .map(({ name, outcome, detail }) => t('share_step', { name, outcome, detail })),
    json: jsonOr(entry.header),
  });
}

export function sourceMarkdown({ registration, ...source }: Source, title: string): string {
  return markdown({
    title,
    facts: [
      [t('source_type'), source.sourceType],
      [t('source_origin'), source.sourceOrigin],
      [t('source_destinations'), registration.destinations.join(', ')],
      [t('source_reporting_origin'), source.reportingOrigin],
      [t('source_registered'), isoTime(source.time)],
      [t('source_expires'), isoTime(source.expiryTime)],
      [t('source_states'), String(source.states)],
      [t('source_rate'), String(source.randomizedTriggerRate)],
    ],
    json: serializeSource(registration),
  });
}

export function reportMarkdown(row: ReportRow, title: string): string {
  const { report } = row;
  return markdown({
    title,
    facts: [
      [t('report_status'), reportStatus(row)],
      [t('report_due'), isoTime(report.reportTime)],
      [t('report_url'), report.url],
    ],
    json: report.body,
  });
}

export function draftMarkdown(draft: Draft): string {
  const { source } = check(draft);
  const figures = source === null || draft.as === 'trigger' ? null : figuresOf(source, draft.as);
  return markdown({
    title: t('workbench_registration'),
    facts: [
      [t('workbench_as'), draft.as],
      ...(figures === null
        ? []
        : ([
            [t('workbench_states'), String(figures.states)],
            [t('workbench_epsilon'), showDecimal(figures.epsilon)],
            [t('workbench_rate'), showDecimal(figures.rate)],
            [t('workbench_capacity'), t('workbench_bits', { bits: showDecimal(figures.bits) })],
          ] as const)),
    ],
    json: jsonOr(draft.text),
  });
}

const isoTime = (time: number): string => new Date(time).toISOString();

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function markdown({ title, facts, steps = [], json }: Told): string {
  const code = typeof json === 'string' ? json : JSON.stringify(json, null, 2);
  return [
    `## ${plain(title)}`,
    facts.map(([term, value]) => `- **${plain(term)}:** ${plain(value)}`).join('\n'),
    ...(steps.length === 0 ? [] : [steps.map((step) => `1. ${plain(step)}`).join('\n')]),
    `${fenceFor(code)}json\n${code}\n${fenceFor(code)}\n`,
  ].join('\n\n');
}

/** A page may have written the text, so it must not be read as markup. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#!~]/g, '\\$&');

/** Longer than any fence within. */
const fenceFor = (code: string): string =>
  '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
