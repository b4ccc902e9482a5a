import type { JSX } from 'preact';
import type { LogEntry } from '../../../src/model/decision';
import type { ConsideredSource, SourceVerdict } from '../../../src/attribution/considered';
import { whySentence, whySteps, type WhyStep } from '../explain/why';
import { outcomeOf } from '../explain/outcome';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { Card, Chip, Moment, NeedsDebugMode } from '../ui/basics';
import { NearMisses } from './near-misses';

/** Why a registration came to what it came to: the sources that were considered, and each check in its order. */
export function Why({ entry }: { readonly entry: LogEntry }): JSX.Element {
  const { truth, overview } = useSession();
  const steps = whySteps(entry, truth);
  const outcome = outcomeOf(entry, truth);
  return (
    <>
      <Card title="In short">
        <p>
          <Chip tone={outcome.tone}>{outcome.words}</Chip>
        </p>
        <p id="why-sentence">{whySentence(entry, truth)}</p>
        {entry.debug.length > 0 && (
          <p class="soft">Not as in production at the time: {entry.debug.join(', ')}.</p>
        )}
      </Card>
      {entry.kind === 'refused' && <Problems title="What is wrong with the header" issues={entry.errors} />}
      {entry.warnings.length > 0 && <Problems title="Warnings" issues={entry.warnings} />}
      {entry.kind === 'trigger' && entry.considered !== undefined && entry.considered.length > 0 && (
        <Card title="Sources that were considered">
          <Considered sources={entry.considered} now={overview.now} />
        </Card>
      )}
      {entry.kind === 'trigger' && entry.decision.kind !== 'split' && entry.decision.sourceId === null && (
        <NearMisses entry={entry} />
      )}
      {steps.length > 0 && (
        <Card title="Each check, in the order of the algorithm">
          {steps.some(({ outcome: result }) => result === 'concealed') && (
            <NeedsDebugMode what="What randomized response did to this source stays hidden." />
          )}
          <ol class="checks">
            {steps.map((step, index) => (
              <Step key={`${step.name} ${index}`} step={step} number={index + 1} />
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}

const marks: Readonly<Record<WhyStep['outcome'], string>> = {
  passed: 'passed',
  failed: 'failed',
  'not-reached': 'not reached',
  concealed: 'hidden',
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
          {step.deciding ? 'failed first: this decided' : marks[step.outcome]}
        </Chip>
      </div>
      {step.deciding && step.explanation !== null && <p>{step.explanation.failed}</p>}
      <p class="soft small row">
        <code>{step.name}</code>
        {step.detail !== '' && <span>{step.detail}</span>}
        {step.explanation !== null && (
          <a href={step.explanation.section} target="_blank" rel="noreferrer">
            Specification<span class="visually-hidden"> of {step.name}</span>
          </a>
        )}
      </p>
    </div>
  </li>
);

const verdicts: Readonly<Record<SourceVerdict, string>> = {
  chosen: 'chosen',
  'lower-priority': 'lost: its priority is lower',
  older: 'lost: it is older',
  'scopes-differ': 'left out: no attribution scope in common',
  'filters-differ': 'left out: its filter data do not match',
  'not-credited': 'not credited by the attribution model',
};

const Considered = ({
  sources,
  now,
}: {
  readonly sources: readonly ConsideredSource[];
  readonly now: number;
}): JSX.Element => (
  <div class="scroll-x">
    <table class="plain-table">
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col">Event id</th>
          <th scope="col">Registered</th>
          <th scope="col">Priority</th>
          <th scope="col">What became of it</th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  </div>
);

export const Problems = ({
  title,
  issues,
}: {
  readonly title: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}): JSX.Element => (
  <Card title={title}>
    <ul class="issues">
      {issues.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{path === '' ? 'the header' : path}</code> {message}
        </li>
      ))}
    </ul>
  </Card>
);
