import { decisionsOf } from '../../../src/model/decision';
import { isJsonObject, type Json } from '../../../src/model/json';
import type { Report, Source } from '../../../src/model/records';
import { windowSpans } from '../../window-ends';
import { textOf } from '../data/tables/common';
import type { TriggerEntry } from '../data/tables/triggers';
import { t } from '../../i18n';
import { anyOf, bare, showExactTime } from '../lib/words';
import { outOf } from './invented';

/** A field of a report's body, and what it tells the receiver. */
export interface AnnotatedField {
  readonly name: string;
  readonly value: string;
  /** Empty for unknown fields. */
  readonly words: string;
}

/** What each field of an event-level report says. `source` is null when it is no longer known. */
export function annotatedBody(
  { body, noise }: Pick<Report, 'body' | 'noise'>,
  source: Pick<Source, 'time' | 'registration'> | null,
): readonly AnnotatedField[] {
  if (!isJsonObject(body)) return [];
  return Object.entries(body).map(([name, json]) => {
    const value = textOf(json) ?? '';
    return { name, value, words: wordsOf(name, json, { source, noise }) };
  });
}

interface Context {
  readonly source: Pick<Source, 'time' | 'registration'> | null;
  readonly noise: Report['noise'];
}

function wordsOf(name: string, json: Json, { source, noise }: Context): string {
  const value = textOf(json) ?? '';
  switch (name) {
    case 'attribution_destination':
      return Array.isArray(json)
        ? t('report_field_destinations', {
            sites: anyOf((json as readonly Json[]).map((site) => bare(textOf(site) ?? ''))),
          })
        : t('report_field_destination', { site: bare(value) });
    case 'randomized_trigger_rate':
      return noise === undefined
        ? t('report_field_rate', { odds: outOf(Number(value)) })
        : t('report_field_rate_off', { noise });
    case 'scheduled_report_time':
      return dateWords(Number(value) * 1000, source);
    case 'source_event_id':
      return t('report_field_event_id');
    case 'source_type':
      return value === 'navigation' ? t('report_field_click') : t('report_field_view');
    case 'trigger_data':
      return t('report_field_trigger_data');
    case 'trigger_summary_bucket':
      return t('report_field_bucket');
    case 'noisy_value':
      return t('report_field_noisy_value');
    case 'report_id':
      return t('report_field_report_id');
    case 'source_debug_key':
    case 'trigger_debug_key':
    case 'trigger_debug_keys':
      return t('report_field_debug_key');
    default:
      return '';
  }
}

/** The date, and which window of the source ended then. */
function dateWords(time: number, source: Context['source']): string {
  const when = showExactTime(time);
  const windows = source === null ? [] : windowSpans(source).flat();
  // The body has whole seconds.
  const window = windows.find(({ end }) => Math.floor(end / 1000) * 1000 === time);
  if (window === undefined) return t('report_field_time', { when });
  const all = 1 + Math.max(...windows.map(({ index }) => index));
  return t('report_field_window', {
    when,
    n: window.index + 1,
    all,
    from: showExactTime(window.start),
    to: showExactTime(window.end),
  });
}

/** The conversions that made the report. Only debug mode may show them. */
export const conversionsOf = (
  report: Pick<Report, 'id'>,
  triggers: readonly TriggerEntry[],
): readonly TriggerEntry[] =>
  triggers.filter(({ decision }) =>
    decisionsOf(decision).some((one) => one.kind === 'attributed' && one.reports.includes(report.id)),
  );
