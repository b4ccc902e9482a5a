import type { JSX } from 'preact';
import type { Source } from '../../../../src/model/records';
import { accountOf } from '../../explain/source-why';
import { outcomeOf } from '../../words/outcome';
import { whySentence } from '../../explain/why';
import { rich, t } from '../../../i18n';
import { useTriggersOf, useRegistrationOf, useReportsOf } from '../../state/related';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { Card, Chip, Moment } from '../../ui/basics';
import { Why } from './why';

/** Why a source has no report yet, when the next can come, and how the source was registered. */
export function SourceWhy({ source }: { readonly source: Source }): JSX.Element | null {
  const { overview, truth } = useSession();
  const triggers = useTriggersOf(source.id);
  const reports = useReportsOf(source.id);
  const entry = useRegistrationOf(source.id);
  if (triggers === undefined || reports === undefined) return null;
  const { sentences, next } = accountOf(source, { triggers, reports, now: overview.now, truth });
  return (
    <>
      <Card title={t('source_its_reports')}>
        <div id="source-account" class="stack">
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <p>
            {next === null
              ? t('source_no_more_reports')
              : rich('source_next_report', { when: <Moment time={next} now={overview.now} /> })}
          </p>
        </div>
      </Card>
      {triggers.length > 0 && (
        <Card title={t('source_met')}>
          <ul class="issues">
            {triggers.map((trigger) => (
              <li key={trigger.id}>
                <a href={routeTo(['triggers', trigger.id])}>{t('source_trigger', { id: trigger.id })}</a>{' '}
                <Chip tone={outcomeOf(trigger, truth).tone}>{outcomeOf(trigger, truth).words}</Chip>
                <br />
                <span class="soft">{whySentence(trigger, truth)}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {entry != null && (
        <>
          <h2>{t('source_how_registered')}</h2>
          <Why entry={entry} />
        </>
      )}
    </>
  );
}
