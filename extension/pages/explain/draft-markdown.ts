import { t } from '../../i18n';
import { showDecimal } from '../words/words';
import { jsonOr, markdown } from './markdown';
import { check, figuresOf, type Draft } from './workbench';

/** The workbench's draft and its figures. */
export function draftMarkdown(draft: Draft): string {
  const { source } = check(draft);
  const figures = source === null || draft.as === 'trigger' ? null : figuresOf(source, draft.as);
  return markdown({
    title: t('source_registration'),
    facts: [
      [t('workbench_as'), draft.as],
      ...(figures === null
        ? []
        : ([
            [t('tables_column_states'), String(figures.states)],
            [t('tables_column_epsilon'), showDecimal(figures.epsilon)],
            [t('tables_column_rate'), showDecimal(figures.rate)],
            [t('source_capacity'), t('source_bits', { bits: showDecimal(figures.bits) })],
          ] as const)),
    ],
    json: jsonOr(draft.text),
  });
}
