import type { JSX } from 'preact';
import type { RecordingRule } from '../../../../recording/recording-rule';
import type { Settings } from '../../../../formats/settings/settings';
import type { Trial } from '../../../../formats/settings/trial';
import { readingsOf, type Reading } from '../../../../recording/readings';
import { rich, t } from '../../../i18n';
import { words } from '../../../words';
import { aggregatableInWords } from '../../explain/aggregatable';
import { inventedWords } from '../../explain/invented';
import { jointLimitInWords, promiseInWords } from '../../explain/promises';
import { bare, showTime } from '../../words/words';
import { Card } from '../../ui/basics';
import type { BudgetHistoryToDate } from '../../../consent/budget-history';

/** What a person agrees to: what is recorded, what leaves, and for how long. */
export function ConsentTerms({
  trial,
  settings,
  budgets,
  earlier,
}: {
  readonly trial: Trial | null;
  readonly settings: Settings;
  readonly budgets: BudgetHistoryToDate;
  /** What sources that were recorded before take away from what is promised. */
  readonly earlier: JSX.Element;
}): JSX.Element {
  return (
    <>
      <Card title={t('consent_recorded')}>
        <Recorded settings={settings} />
      </Card>
      <Card title={t('nav_leaves')}>
        <Leaves trial={trial} settings={settings} budgets={budgets} />
        {earlier}
      </Card>
      <Card title={t('consent_how_long')}>
        <ul>
          <li>
            {trial === null
              ? t('consent_how_long_no_end')
              : t('consent_how_long_end', { end: showTime(trial.end) })}
          </li>
          <li>{t('consent_how_long_kept')}</li>
          <li>{t('consent_how_long_withdraw')}</li>
        </ul>
      </Card>
    </>
  );
}

function Recorded({ settings: { rules } }: { readonly settings: Settings }): JSX.Element {
  const pages = [...new Set(rules.flatMap(({ matches }) => matches))];
  return (
    <ul>
      <li>{t('consent_recorded_ads')}</li>
      <li>{t('consent_recorded_conversions')}</li>
      {pages.length > 0 && (
        <li class="break">
          {rich('consent_recorded_rules', { pages: <strong>{pages.map(bare).join(', ')}</strong> })}
        </li>
      )}
      {rules.map((rule) => (
        <Readings key={rule.id} rule={rule} />
      ))}
      <li>{t('consent_recorded_log')}</li>
      <li>{pages.length > 0 ? t('consent_recorded_not_with_rules') : t('consent_recorded_not')}</li>
    </ul>
  );
}

/** What a rule reads on its pages, and what becomes of it. */
function Readings({ rule }: { readonly rule: RecordingRule }): JSX.Element | null {
  const readings = readingsOf(rule);
  if (readings.length === 0) return null;
  return (
    <li class="break readings">
      {t('consent_readings', { pages: rule.matches.map(bare).join(', ') })}
      <ul>
        {readings.map((reading, index) => (
          <li key={index}>{readingInWords(rule, reading)}</li>
        ))}
      </ul>
    </li>
  );
}

const readingInWords = (
  rule: RecordingRule,
  { field, extractor, leaves }: Reading,
): ReturnType<typeof rich> =>
  rich('consent_reading', {
    field,
    selector: [rule.selector, extractor.selector].filter((part) => part !== null).join(' ') || ':root',
    from: extractor.attribute === null ? 'text' : 'attribute',
    attribute: extractor.attribute ?? '',
    leaves,
    code: (parts) => <code>{parts}</code>,
  });

function Leaves({
  trial,
  settings,
  budgets,
}: {
  readonly trial: Trial | null;
  readonly settings: Settings;
  readonly budgets: BudgetHistoryToDate;
}): JSX.Element {
  const { collector, rules } = settings;
  const exception = words.exception(settings);
  const number = rules.flatMap(readingsOf).some(({ leaves }) => leaves === 'number') ? 'read' : 'given';
  return (
    <ul>
      <li>
        {collector === null
          ? t('consent_leaves_to_origins', { number })
          : rich('consent_leaves_to_collector', {
              number,
              collector: bare(collector),
              to: (parts) => <strong class="break">{parts}</strong>,
            })}
      </li>
      {settings.aggregatableReports && collector !== null && (
        <li id="aggregatable">{aggregatableInWords(collector)}</li>
      )}
      {settings.w3cAttribution && <li id="w3c">{t('consent_leaves_w3c')}</li>}
      {settings.liftTest !== null && (
        <li id="lift">
          {t('consent_leaves_lift', {
            percent: Math.round(1e6 * settings.liftTest.holdout) / 1e4,
            days: settings.budget.period,
          })}
        </li>
      )}
      <li id="invented">{inventedWords(settings, trial)}</li>
      <li id="promise">{promiseInWords(settings)}</li>
      {trial !== null && <li id="joint">{jointLimitInWords(trial, budgets)}</li>}
      {exception !== null && <li id="limits">{exception}</li>}
      {trial?.tokens != null && <li id="tokens">{t('consent_tokens', { batch: trial.tokens.batch })}</li>}
      <li>{t('consent_leaves_requests')}</li>
      <li>
        {rich('consent_leaves_look', {
          link: (parts) => (
            <a href="internals.html#/leaves" target="_blank" rel="noreferrer">
              {parts}
            </a>
          ),
        })}
      </li>
    </ul>
  );
}
