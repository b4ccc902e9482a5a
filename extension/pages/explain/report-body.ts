import { decisionsOf } from '../../../src/model/decision';
import { isJsonObject, type Json } from '../../../src/model/json';
import type { Report, Source } from '../../../src/model/records';
import { eventLevelFields, type EventLevelField } from '../../../formats/reports/event-level-report';
import { windowSpans } from '../../window-ends';
import { textOf } from '../data/header-json';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { anyOf, bare, showExactTime } from '../words/words';
import { outOf } from './invented';
import { greatest } from '../../../numeric/extremes';

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
    return { name, value, words: isField(name) ? words(name)(value, { source, noise }, json) : '' };
  });
}

interface Context {
  readonly source: Pick<Source, 'time' | 'registration'> | null;
  readonly noise: Report['noise'];
}

type Words = (value: string, context: Context, json: Json) => string;

const debugKey: Words = () => t('report_field_debug_key');

const ofValues = {
  attribution_destination: (value, _, json) =>
    Array.isArray(json)
      ? t('report_field_destinations', {
          sites: anyOf((json as readonly Json[]).map((site) => bare(textOf(site) ?? ''))),
        })
      : t('report_field_destination', { site: bare(value) }),
  randomized_trigger_rate: (value, { noise }) =>
    noise === undefined
      ? t('report_field_rate', { odds: outOf(Number(value)) })
      : t('report_field_rate_off', { noise }),
  scheduled_report_time: (value, { source }) => dateWords(Number(value) * 1000, source),
  source_type: (value) => (value === 'navigation' ? t('report_field_click') : t('report_field_view')),
  source_debug_key: debugKey,
  trigger_debug_key: debugKey,
  trigger_debug_keys: debugKey,
} satisfies Partial<Record<EventLevelField, Words>>;

const isField = (name: string): name is EventLevelField =>
  Object.values(eventLevelFields).some((field) => field.name === name);

/** A field without an entry above has a message with its name. */
function words(name: EventLevelField): Words {
  return hasEntry(name) ? ofValues[name] : () => t(`report_field_${name}`);
}

const hasEntry = (name: EventLevelField): name is keyof typeof ofValues => Object.hasOwn(ofValues, name);

/** The date, and which window of the source ended then. */
function dateWords(time: number, source: Context['source']): string {
  const when = showExactTime(time);
  const windows = source === null ? [] : windowSpans(source).flat();
  // The body has whole seconds.
  const window = windows.find(({ end }) => Math.floor(end / 1000) * 1000 === time);
  if (window === undefined) return t('report_field_time', { when });
  const all = 1 + greatest(windows.map(({ index }) => index));
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
