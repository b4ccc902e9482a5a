import type { JSX } from 'preact';
import { PlainTable } from '../../../../ui/fitting-table';
import { t } from '../../../i18n';
import { worstError, type Campaign } from '../../explain/cell-errors';
import { check, figuresOf, type Bench, type Draft } from '../../explain/workbench';
import { showShort } from '../../words/words';
import { Card, Json } from '../../ui/basics';

/** The draft at hand and the kept one, side by side. */
export function Comparison({
  draft,
  kept,
  campaign,
  onChange,
}: Bench & {
  readonly kept: Draft;
  /** Null while its numbers are not valid. */
  readonly campaign: Campaign | null;
  readonly onChange: (bench: Bench) => void;
}): JSX.Element {
  const [left, right] = [figuresIn(draft, campaign), figuresIn(kept, campaign)];
  return (
    <Card title={t('compare_title')}>
      <PlainTable id="comparison" head={['', t('compare_this'), t('compare_kept')]}>
        {rows.map((title, index) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{left[index] ?? '–'}</td>
            <td>{right[index] ?? '–'}</td>
          </tr>
        ))}
      </PlainTable>
      <details>
        <summary>{t('compare_kept_json')}</summary>
        <Json value={kept.text} label={t('compare_kept_json')} />
      </details>
      <div class="row">
        <button type="button" id="swap" onClick={() => onChange({ draft: kept, kept: draft })}>
          {t('compare_swap')}
        </button>
        <button type="button" onClick={() => onChange({ draft, kept: null })}>
          {t('compare_end')}
        </button>
      </div>
    </Card>
  );
}

const rows = [
  t('workbench_as'),
  t('tables_column_states'),
  t('tables_column_epsilon'),
  t('tables_column_rate'),
  t('source_capacity'),
  t('compare_error'),
];

/** In the order of `rows`; only the kind for what registers no source. */
function figuresIn(draft: Draft, campaign: Campaign | null): readonly string[] {
  const { source } = check(draft);
  if (source === null || draft.as === 'trigger') return [draft.as];
  const { states, epsilon, rate, bits } = figuresOf(source, draft.as);
  const error = campaign === null ? null : worstError(source, campaign);
  return [
    draft.as,
    String(states),
    showShort(epsilon),
    showShort(rate),
    t('source_bits', { bits: showShort(bits) }),
    ...(error === null || !Number.isFinite(error)
      ? []
      : [t('errors_plus_minus', { error: showShort(error) })]),
  ];
}
