import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { SourceRegistration } from '../../../../src/model/registration';
import type { CandidateConfiguration } from '../../../../analysis/optimize/optimize';
import { PlainTable } from '../../../../ui/fitting-table';
import { suggest, withConfiguration, type Expectation, type Suggestion } from '../../explain/suggestion';
import type { Draft } from '../../explain/workbench';
import { rich, t } from '../../../i18n';
import { showDecimal, showShort } from '../../words/words';
import { Card, Chip } from '../../ui/basics';

const first: Expectation = { values: '0, 5, 10, 50, 100', prior: '0.9, 0.05, 0.03, 0.015, 0.005' };

/** Suggests the summary buckets that lose the least for the expected triggers. */
export function SuggestionCard({
  source,
  draft,
  onUse,
}: {
  readonly source: SourceRegistration;
  readonly draft: Draft;
  readonly onUse: (draft: Draft) => void;
}): JSX.Element | null {
  const [expected, setExpected] = useState(first);
  const type = draft.as === 'trigger' ? null : draft.as;
  const suggestion = useMemo(
    () => (type === null || source.eventLevelEpsilon === 0 ? null : suggest(source, type, expected)),
    [source, type, expected],
  );
  return (
    <Card title={t('suggestion_title')}>
      <p class="small soft">{rich('suggestion_intro', { code: (parts) => <code>{parts}</code> })}</p>
      <div class="row">
        <label for="suggestion-values">{t('suggestion_values')}</label>
        <input
          id="suggestion-values"
          value={expected.values}
          onInput={({ currentTarget }) => setExpected({ ...expected, values: currentTarget.value })}
        />
        <label for="suggestion-prior">{t('suggestion_prior')}</label>
        <input
          id="suggestion-prior"
          size={28}
          value={expected.prior}
          onInput={({ currentTarget }) => setExpected({ ...expected, prior: currentTarget.value })}
        />
      </div>
      {suggestion === null ? (
        <p class="soft">{t('suggestion_unset')}</p>
      ) : suggestion.kind === 'problem' ? (
        <p class="bad" role="alert" id="suggestion-problem">
          {suggestion.message}
        </p>
      ) : (
        <Found
          suggestion={suggestion}
          onUse={(configuration) => onUse(withConfiguration(draft, suggestion.request, configuration))}
        />
      )}
    </Card>
  );
}

const columns = [
  t('suggestion_begin'),
  t('tables_column_states'),
  t('suggestion_fits'),
  t('suggestion_loss'),
  t('suggestion_noise'),
];

const Found = ({
  suggestion: { configurations, best },
  onUse,
}: {
  readonly suggestion: Extract<Suggestion, { kind: 'found' }>;
  readonly onUse: (configuration: CandidateConfiguration) => void;
}): JSX.Element => (
  <>
    {best === null && <p class="warn">{t('suggestion_none')}</p>}
    <PlainTable id="suggestions" head={[...columns, '']}>
      {configurations.map((row) => (
        <Row key={row.summaryBuckets.join()} row={row} isBest={row === best} onUse={() => onUse(row)} />
      ))}
    </PlainTable>
  </>
);

function Row({
  row,
  isBest,
  onUse,
}: {
  readonly row: CandidateConfiguration;
  readonly isBest: boolean;
  readonly onUse: () => void;
}): JSX.Element {
  const buckets = row.summaryBuckets.join(', ');
  // Rounded down, so that the shown value is within the limit, too.
  const epsilon = Math.floor(row.largestEpsilon * 1000) / 1000;
  const noise = row.expectedLoss === 0 ? 0 : row.noiseLoss / row.expectedLoss;
  return (
    <tr>
      <td>
        {buckets} {isBest && <Chip tone="good">{t('suggestion_best')}</Chip>}
      </td>
      <td>{String(row.states)}</td>
      <td>{row.fits ? t('tables_yes') : t('suggestion_fits_epsilon', { epsilon: showDecimal(epsilon) })}</td>
      <td>{showShort(row.expectedLoss)}</td>
      <td>{t('attribution_percent', { number: showShort(noise * 100) })}</td>
      <td>
        <button
          type="button"
          class="plain"
          aria-label={t('suggestion_use_label', { buckets })}
          onClick={onUse}
        >
          {t('suggestion_use')}
        </button>
      </td>
    </tr>
  );
}
