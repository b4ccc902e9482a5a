import type { JSX } from 'preact';
import { chromiumLimits } from '../../../../src/model/limits';
import type { LogEntry } from '../../../../src/model/decision';
import type { Report, Source } from '../../../../src/model/records';
import { parseHeader } from '../../../../formats/registration/header';
import { parseSource } from '../../../../formats/registration/source';
import type { ReportRow } from '../../data/report-row';
import { annotatedBody, conversionsOf } from '../../explain/report-body';
import { outcomeOf } from '../../words/outcome';
import { epsilonIn, rowAtCollector, sentInWords } from '../../explain/sent';
import { rich, t } from '../../../i18n';
import { useRegistrationOf, useTriggersOf } from '../../state/related';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { Card, Moment } from '../../ui/basics';
import { linkTo } from '../../ui/tags';

/** What the report tells its receiver, in a sentence; what the receiver answered; and what the report came from. */
export function ReportInShort({ row: { report } }: { readonly row: ReportRow }): JSX.Element {
  const { overview } = useSession();
  const row = rowAtCollector(report);
  const entry = useRegistrationOf(report.event?.sourceId ?? -1);
  const last = report.attempts.at(-1);
  return (
    <Card title={t('why_in_short')}>
      {last !== undefined && <p id="report-sentence">{sentInWords(report, epsilonIn(entry ?? null))}</p>}
      <p id="report-answer">
        {last === undefined
          ? rich('report_not_sent', { when: <Moment time={report.nextAttempt} now={overview.now} /> })
          : rich(last.outcome.kind === 'answered' ? 'report_answer_was' : 'report_answer_none', {
              to: new URL(last.outcome.to ?? report.url).host,
              answer: last.outcome.kind === 'answered' ? String(last.outcome.status) : last.outcome.error,
              when: <Moment time={last.time} now={overview.now} />,
            })}
        {row !== null && (
          <>
            {' '}
            <a href={row} id="collector-row" target="_blank" rel="noreferrer">
              {t('report_at_collector')}
            </a>
          </>
        )}
      </p>
      {report.event !== null && (
        <CameFrom report={report} sourceId={report.event.sourceId} fake={report.event.fake} />
      )}
    </Card>
  );
}

/** Links to the source, and in debug mode to the conversions. Otherwise they would tell true reports from fake ones. */
function CameFrom({
  report,
  sourceId,
  fake,
}: {
  readonly report: Report;
  readonly sourceId: number;
  readonly fake: boolean;
}): JSX.Element {
  const { truth } = useSession();
  const triggers = useTriggersOf(sourceId) ?? [];
  const shown = truth
    ? conversionsOf(report, triggers)
    : triggers.filter((entry) => outcomeOf(entry, false).key === 'credited');
  const conversions = shown.map(({ id }, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <a href={routeTo(['triggers', id])}>{t('report_conversion_id', { id })}</a>
    </span>
  ));
  const message = !truth
    ? shown.length === 0
      ? 'report_from_hidden_none'
      : 'report_from_hidden'
    : fake
      ? 'report_from_noise'
      : shown.length === 0
        ? 'report_from_source'
        : 'report_from_conversion';
  return (
    <p id="report-from">
      {rich(message, {
        source: <a href={routeTo(['sources', sourceId, 'why'])}>{t('source_title', { id: sourceId })}</a>,
        conversions,
        link: linkTo('#/debug'),
      })}
    </p>
  );
}

/** Each field of an event-level report, and what it says. */
export function ReportBody({ report }: { readonly report: Report }): JSX.Element | null {
  const sourceId = report.event?.sourceId ?? -1;
  const entry = useRegistrationOf(sourceId);
  const fields = report.kind === 'verbose-debug' ? [] : annotatedBody(report, registrationIn(entry ?? null));
  if (fields.length === 0) return null;
  return (
    <Card title={t('report_says')}>
      <dl class="annotated">
        {fields.map(({ name, value, words }) => (
          <div key={name} data-field={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code class="break">{value}</code>
              <span>
                {words}{' '}
                {name === 'source_event_id' && report.event !== null && (
                  <a href={routeTo(['sources', sourceId])}>{t('source_title', { id: sourceId })}</a>
                )}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The source as it was registered; null when the log no longer has it. */
function registrationIn(entry: LogEntry | null): Pick<Source, 'time' | 'registration'> | null {
  if (entry?.kind !== 'source') return null;
  const { value } = parseHeader(entry.header, (json) => parseSource(json, entry.sourceType, chromiumLimits));
  return value === null ? null : { time: entry.time, registration: value };
}
