import type { LogEntry } from '../../../src/model/decision';
import type { SourceType } from '../../../src/model/limits';
import { t } from '../../i18n';

export type What = 'click' | 'impression' | 'conversion' | 'header';

export const whats: Readonly<Record<What, string>> = {
  click: t('tables_what_click'),
  impression: t('tables_what_impression'),
  conversion: t('tables_what_conversion'),
  header: t('tables_via_header'),
};

/** The kind of a registration, in words. For a refused one, the kind that it was meant to be. */
export const whatOf = (entry: LogEntry): string => whats[whatKey(entry)];

export function whatKey(entry: LogEntry): What {
  switch (entry.kind) {
    case 'source':
      return adOf(entry);
    case 'trigger':
      return 'conversion';
    case 'refused':
      return entry.register === 'source' ? adOf(entry) : 'conversion';
    case 'ignored':
      return 'header';
  }
}

const adOf = ({ sourceType }: { readonly sourceType: SourceType }): What =>
  sourceType === 'navigation' ? 'click' : 'impression';
