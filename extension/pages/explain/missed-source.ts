import type { LogEntry } from '../../../src/model/decision';
import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { siteOf, siteOfUrl } from '../../../src/model/site';
import { after } from '../../../src/model/units';
import { parseHeader } from '../../../formats/registration/header';
import { parseSource } from '../../../formats/registration/source';
import { field, headerJson } from '../data/header-json';
import type { TriggerEntry } from '../data/trigger-entry';
import { words } from '../../words';
import { t } from '../../i18n';
import { outcomeOf } from '../words/outcome';
import { showTime } from '../words/words';

/** A source that would have matched a conversion if it had been kept until then. */
export interface MissedSource {
  readonly entryId: number;
  readonly sentence: string;
}

/** What became of the newest source for this page from this reporting origin; null unless it was refused, or had expired by then. */
export function missedSource(trigger: TriggerEntry, log: readonly LogEntry[]): MissedSource | null {
  const site = siteOf(trigger.contextOrigin);
  const [newest] = log
    .filter(({ id, reportingOrigin }) => id < trigger.id && reportingOrigin === trigger.reportingOrigin)
    .filter((entry) => names(entry, site))
    .sort((a, b) => b.id - a.id);
  const sentence = newest === undefined ? null : whyMissed(newest, trigger);
  return newest === undefined || sentence === null ? null : { entryId: newest.id, sentence };
}

/** Whether the header names this destination. */
function names({ header }: LogEntry, site: string): boolean {
  const destination = field(headerJson(header), 'destination');
  const named = Array.isArray(destination) ? (destination as readonly Json[]) : [destination];
  return named.some((one) => typeof one === 'string' && siteOfUrl(one) === site);
}

function whyMissed(entry: LogEntry, trigger: TriggerEntry): string | null {
  if (entry.kind === 'refused') return t('missed_refused', { reason: words.issuesText(entry.errors) });
  if (entry.kind === 'ignored') return t('missed_refused', { reason: words.mistakeText(entry.reason) });
  if (entry.kind !== 'source') return null;
  if (entry.decision.kind === 'rejected')
    return t('missed_refused', { reason: outcomeOf(entry, false).words });
  const { value } = parseHeader(entry.header, (json) => parseSource(json, entry.sourceType, chromiumLimits));
  if (value === null) return null;
  const end = after(entry.time, value.expiry);
  return end > trigger.time ? null : t('missed_expired', { time: showTime(end) });
}
