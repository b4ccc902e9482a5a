import type { ComponentChildren, JSX } from 'preact';
import type { LogEntry } from '../../../../src/model/decision';
import type { ConsideredSource, SourceVerdict } from '../../../../src/model/considered-source';
import { PlainTable } from '../../../../ui/fitting-table';
import { aggregatableSteps, whySentence, whySteps, type WhyStep } from '../../explain/why';
import { outcomeOf } from '../../words/outcome';
import { shownConditions } from '../../words/shown-conditions';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { bare, differenceWords } from '../../words/words';
import { Card, Chip, Moment, NeedsDebugMode } from '../../ui/basics';
import { Problems } from '../../ui/problems';
import { visuallyHidden } from '../../ui/tags';
import { ChangeThis, useChange } from './change-this';

/** Why a registration had its outcome: the candidates, and each check in order. */
export function Why({
  entry,
  children,
}: {
  readonly entry: LogEntry;
  /** What can be done with it. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { truth, overview } = useSession();
  const steps = whySteps(entry, truth);
  const outcome = outcomeOf(entry, truth);
  const differences = shownConditions(entry, truth);
  const deciding = steps.find((step) => step.deciding);
  const found = useChange(entry, deciding);
  return (
    <>
      <Card title={t('why_in_short')}>
        <p>
          <Chip tone={outcome.tone}>{outcome.words}</Chip>
        </p>
        {/* Not before the sources are read: the sentence would change under the reader's eyes. */}
        {(found !== undefined || !isAboutSource(deciding)) && (
          <p id="why-sentence">
            {found?.change?.cause ??
              (deciding?.name === 'matching-source'
                ? noSource(entry, found?.searched ?? 0)
                : whySentence(entry, truth))}
          </p>
        )}
        {deciding !== undefined && <Made step={deciding} />}
        {differences.length > 0 && (
          <p class="soft">{t('why_not_production', { what: differences.map(differenceWords).join(', ') })}</p>
        )}
      </Card>
      <ChangeThis entry={entry} deciding={deciding} found={found} />
      {children}
      {entry.kind === 'refused' && <Problems title={t('why_errors')} issues={entry.errors} />}
      {entry.warnings.length > 0 && <Problems title={t('tables_column_warnings')} issues={entry.warnings} />}
      {entry.kind === 'trigger' && entry.considered !== undefined && entry.considered.length > 0 && (
        <Card title={t('why_considered')}>
          <Considered sources={entry.considered} now={overview.now} />
          {entry.unlisted !== undefined && <p>{t('why_unlisted', { count: entry.unlisted })}</p>}
        </Card>
      )}
      {steps.some(({ outcome: result }) => result === 'concealed') && (
        <NeedsDebugMode what={t('why_hidden')} />
      )}
      {steps.length > 0 && <Checks key={entry.id} steps={steps} />}
      <AggregatableReports entry={entry} />
      <DebugReport entry={entry} />
    </>
  );
}

/** Whether the sentence depends on sources. */
const isAboutSource = (step: WhyStep | undefined): boolean =>
  step?.name === 'matching-source' || step?.name === 'filters' || step?.name === 'report-window-open';

const noSource = ({ contextSite, reportingOrigin }: LogEntry, searched: number): string =>
  t('cause_none', { destination: bare(contextSite), origin: bare(reportingOrigin), n: searched });

/** What a trigger's aggregatable half made, in debug mode. */
function AggregatableReports({ entry }: { readonly entry: LogEntry }): JSX.Element | null {
  const { truth } = useSession();
  if (!truth || entry.kind !== 'trigger' || entry.aggregatable === undefined) return null;
  const { outcomes, nullReportDays, checks } = entry.aggregatable;
  return (
    <Card title={t('why_aggregatable')}>
      <p id="aggregatable-outcome">
        {t('why_aggregatable_made', {
          made: outcomes.filter(({ kind }) => kind === 'attributed').length,
          empty: nullReportDays.length,
        })}
      </p>
      <Steps steps={aggregatableSteps(checks)} />
    </Card>
  );
}

/** Why a registration's aggregatable debug report has contributions or none, in debug mode. */
function DebugReport({ entry }: { readonly entry: LogEntry }): JSX.Element | null {
  const { truth } = useSession();
  if (!truth || entry.debugReport === undefined) return null;
  const { report, checks } = entry.debugReport;
  return (
    <Card title={t('why_debug_report')}>
      <p id="debug-report">
        <a href={routeTo(['reports', report])}>{t('report_title', { id: report })}</a>{' '}
        {t('why_debug_report_made', { told: checks.every(({ passed }) => passed) ? 'yes' : 'no' })}
      </p>
      <Steps steps={aggregatableSteps(checks)} />
    </Card>
  );
}

/** Every check, folded, with their number by outcome. */
const Checks = ({ steps }: { readonly steps: readonly WhyStep[] }): JSX.Element => (
  <details class="card" id="checks">
    <summary>
      {t('why_every_check', {
        passed: steps.filter(({ outcome }) => outcome === 'passed').length,
        failed: steps.filter(({ outcome }) => outcome === 'failed').length,
        others: steps.filter(({ outcome }) => outcome === 'not-reached' || outcome === 'concealed').length,
      })}
    </summary>
    <Steps steps={steps} />
  </details>
);

const Steps = ({ steps }: { readonly steps: readonly WhyStep[] }): JSX.Element => (
  <ol class="checks">
    {steps.map((step, index) => (
      <Step key={`${step.name} ${index}`} step={step} number={index + 1} />
    ))}
  </ol>
);

const marks: Readonly<Record<WhyStep['outcome'], string>> = {
  passed: t('why_passed'),
  failed: t('why_failed'),
  'not-reached': t('why_not_reached'),
  concealed: t('why_concealed'),
};

const Step = ({ step, number }: { readonly step: WhyStep; readonly number: number }): JSX.Element => (
  <li
    class={`check ${step.outcome} ${step.deciding ? 'deciding' : ''}`}
    data-check={step.name}
    data-outcome={step.outcome}
    data-deciding={step.deciding}
  >
    <span class="check-number" aria-hidden="true">
      {number}
    </span>
    <div class="stack">
      <div class="row spread">
        <strong>{step.explanation?.question ?? step.name}</strong>
        <Chip tone={step.outcome === 'passed' ? 'good' : step.outcome === 'failed' ? 'bad' : 'soft'}>
          {step.deciding ? t('why_deciding') : marks[step.outcome]}
        </Chip>
      </div>
      {step.deciding && step.explanation !== null && <p>{step.explanation.failed}</p>}
      <Made step={step} />
    </div>
  </li>
);

/** The check's name, what it looked at, and where it is specified. */
const Made = ({ step }: { readonly step: WhyStep }): JSX.Element => (
  <p class="soft small row">
    <code>{step.name}</code>
    {step.detail !== '' && <span>{step.detail}</span>}
    {step.explanation !== null && (
      <a href={step.explanation.section} target="_blank" rel="noreferrer">
        {rich('why_specification', { check: step.name, visuallyHidden })}
      </a>
    )}
  </p>
);

const verdicts: Readonly<Record<SourceVerdict, string>> = {
  chosen: t('why_verdict_chosen'),
  'lower-priority': t('why_verdict_lower_priority'),
  older: t('why_verdict_older'),
  'scopes-differ': t('why_verdict_scopes_differ'),
  'filters-differ': t('why_verdict_filters_differ'),
  'not-credited': t('why_verdict_not_credited'),
};

const Considered = ({
  sources,
  now,
}: {
  readonly sources: readonly ConsideredSource[];
  readonly now: number;
}): JSX.Element => (
  <PlainTable
    head={[
      t('tables_column_source'),
      t('tables_column_event_id'),
      t('tables_column_registered'),
      t('tables_column_priority'),
      t('why_verdict'),
    ]}
  >
    {sources.map(({ id, sourceEventId, time, priority, verdict }) => (
      <tr key={id} data-source={id} data-verdict={verdict}>
        <td>
          <a href={routeTo(['sources', id])}>{id}</a>
        </td>
        <td>{String(sourceEventId)}</td>
        <td>
          <Moment time={time} now={now} />
        </td>
        <td>{String(priority)}</td>
        <td>
          <Chip tone={verdict === 'chosen' ? 'good' : 'soft'}>{verdicts[verdict]}</Chip>
        </td>
      </tr>
    ))}
  </PlainTable>
);
