import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { laplaceDeviation } from '../../../../analysis/w3c/aggregate';
import type { W3cView } from '../../../messages';
import { t } from '../../../i18n';
import { Definitions, Json } from '../../ui/basics';
import { showDecimal, showExactTime, showNumber } from '../../words/words';
import { showEpsilon } from './epsilon';

type Call = W3cView['calls'][number];
type Measured = Extract<Call['outcome'], { readonly kind: 'measured' }>;
type Why = Measured['why'];
type BudgetAnswer = Why['matched'][number]['budgets'][number];
type Reason = Extract<Call['outcome'], { readonly kind: 'rejected' }>['reason'];

/** A call in one line, which opens to why its outcome is what it is. */
export function CallDetails({ call }: { readonly call: Call }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const { time, site, caller, via, options, outcome } = call;
  return (
    <details class="w3c-call" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {showExactTime(time)} · {caller === site ? site : t('w3c_by', { caller, site })} ·{' '}
        {outcomeInWords(call)}
      </summary>
      {isOpen && (
        <>
          <Definitions
            of={[
              [t('w3c_via'), viaWords[via]],
              ...(outcome.kind === 'rejected'
                ? [[t('tables_column_reason'), reasonInWords(outcome.reason)] as const]
                : []),
              ...(outcome.kind === 'measured' ? [...whyRows(outcome), ...serviceRows(outcome, options)] : []),
            ]}
          />
          <h3>{t('w3c_asked')}</h3>
          <Json value={options} label={t('w3c_asked')} />
        </>
      )}
    </details>
  );
}

const viaWords: Readonly<Record<Call['via'], string>> = {
  script: t('w3c_via_script'),
  header: t('registration_via_header'),
  'by hand': t('w3c_via_hand'),
};

function outcomeInWords({ outcome }: Call): string {
  switch (outcome.kind) {
    case 'saved':
      return t('w3c_outcome_saved');
    case 'rejected':
      return t('w3c_outcome_rejected', { error: outcome.error });
    case 'measured': {
      const n = outcome.why.credited.length;
      return n === 0 ? t('w3c_outcome_empty') : t('w3c_outcome_measured', { n });
    }
  }
}

const refusals: Readonly<Record<Extract<Reason, string>, string>> = {
  'permissions-policy': t('w3c_refused_policy'),
  'page-unknown': t('w3c_refused_page'),
  'not-secure': t('w3c_refused_secure'),
  'not-activated': t('w3c_refused_activation'),
  'no-key': t('w3c_refused_key'),
  'no-service': t('w3c_refused_service'),
  malformed: t('w3c_refused_malformed'),
  'too-long': t('w3c_refused_long'),
};

const reasonInWords = (reason: Reason): string =>
  typeof reason === 'string' ? refusals[reason] : reason.text;

type Row = readonly [term: string, value: ComponentChildren];

function whyRows({ why, holds, sentTo }: Measured): readonly Row[] {
  const [first, last] = why.epochs;
  return [
    [t('w3c_looked_at'), t('w3c_looked_at_is', { first, last, single: why.isSingleEpoch ? 'yes' : 'no' })],
    [t('w3c_dropped'), droppedInWords(why)],
    ...why.matched.map((epoch): Row => [t('w3c_matched', { epoch: epoch.epoch }), matchedInWords(epoch)]),
    [
      t('w3c_credited'),
      why.credited.length === 0
        ? null
        : lines(
            why.credited.map(({ impression: id, bucket, value }) =>
              t('w3c_credited_is', { id, value: showNumber(value), bucket }),
            ),
          ),
    ],
    [t('w3c_holds'), holds === null ? t('w3c_holds_hidden') : holdsInWords(holds)],
    ...(sentTo === undefined ? [] : [[t('w3c_sent_to'), sentTo] as const]),
  ];
}

/** What the aggregation service would answer if this were the only report. Nobody knows it without what the report holds. */
function serviceRows({ holds }: Measured, options: Call['options']): readonly Row[] {
  if (holds === null) return [];
  // A measured call had valid options. These are the defaults of the draft.
  const { epsilon = 1, maxValue = 1 } = options as { readonly epsilon?: number; readonly maxValue?: number };
  const error = showDecimal(laplaceDeviation((2 * maxValue) / epsilon), 3);
  const buckets = holds.map(([bucket, value]) =>
    t('w3c_service_is', { bucket: bucket ?? 0, value: showNumber(value ?? 0), error }),
  );
  return [[t('w3c_service'), lines([...buckets, t('w3c_service_rest', { n: buckets.length, error })])]];
}

const droppedWords: Readonly<Record<keyof Why['unmatched'], (n: number) => string>> = {
  epoch: (n) => t('w3c_dropped_epoch', { n }),
  lifetime: (n) => t('w3c_dropped_lifetime', { n }),
  lookback: (n) => t('w3c_dropped_lookback', { n }),
  'conversion-sites': (n) => t('w3c_dropped_conversion_sites', { n }),
  'conversion-callers': (n) => t('w3c_dropped_conversion_callers', { n }),
  'match-values': (n) => t('w3c_dropped_match_values', { n }),
  'impression-sites': (n) => t('w3c_dropped_impression_sites', { n }),
  'impression-callers': (n) => t('w3c_dropped_impression_callers', { n }),
};

function droppedInWords({ unmatched }: Why): ComponentChildren {
  const dropped = Object.entries(droppedWords).flatMap(([filter, say]) => {
    const n = unmatched[filter as keyof Why['unmatched']];
    return n === undefined ? [] : [say(n)];
  });
  return dropped.length === 0 ? t('w3c_dropped_none') : lines(dropped);
}

/** The most ids in one line. */
const MOST_IDS = 20;

function matchedInWords({ impressions, budgets }: Why['matched'][number]): string {
  const ids = impressions.slice(-MOST_IDS).join(', ');
  return t('w3c_matched_is', {
    n: impressions.length,
    ids: impressions.length > MOST_IDS ? `…, ${ids}` : ids,
    budgets: budgets.map(budgetInWords).join(' '),
    counts: budgets.every(({ left, asked }) => asked <= left) ? 'yes' : 'no',
  });
}

function budgetInWords({ shortage, site, left, asked }: BudgetAnswer): string {
  const said = { site: site ?? '', left: showEpsilon(left), asked: showEpsilon(asked) };
  if (shortage === 'site-budget') return t('w3c_budget_site', said);
  return shortage === 'global-budget' ? t('w3c_budget_all', said) : t('w3c_budget_quota', said);
}

function holdsInWords(holds: NonNullable<Measured['holds']>): ComponentChildren {
  if (holds.length === 0) return t('w3c_holds_none');
  return lines(
    holds.map(([bucket, value]) => t('w3c_holds_is', { bucket: bucket ?? 0, value: showNumber(value ?? 0) })),
  );
}

const lines = (texts: readonly string[]): ComponentChildren =>
  texts.map((text) => <div key={text}>{text}</div>);
