import { t } from '../../i18n';
import { showDecimal } from '../words/words';
import { jsonOr, markdown } from './markdown';
import { check, figuresOf, type Draft } from './workbench';

/** The workbench's draft and its figures. */
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
