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
import { placeOf } from './why';
import { showTime } from '../words/words';

/** A source that would have matched a conversion if it had been kept until then. */
export interface MissedSource {
  readonly entryId: number;
  readonly cause: string;
  readonly fix: string;
}

/** What became of the newest source for this page from this reporting origin; null unless it was refused, or had expired by then. */
export function missedSource(trigger: TriggerEntry, log: readonly LogEntry[]): MissedSource | null {
  const site = siteOf(trigger.contextOrigin);
  const [newest] = log
    .filter(({ id, reportingOrigin }) => id < trigger.id && reportingOrigin === trigger.reportingOrigin)
    .filter((entry) => names(entry, site))
    .sort((a, b) => b.id - a.id);
  const why = newest === undefined ? null : whyMissed(newest, trigger);
  return newest === undefined || why === null ? null : { entryId: newest.id, ...why };
}

/** Whether the header names this destination. */
function names({ header }: LogEntry, site: string): boolean {
  const destination = field(headerJson(header), 'destination');
  const named = Array.isArray(destination) ? (destination as readonly Json[]) : [destination];
  return named.some((one) => typeof one === 'string' && siteOfUrl(one) === site);
}

function whyMissed(entry: LogEntry, trigger: TriggerEntry): Omit<MissedSource, 'entryId'> | null {
  if (entry.kind === 'refused') return refused(words.issuesText(entry.errors), placeOf(entry.errors[0]));
  if (entry.kind === 'ignored') return refused(words.mistakeText(entry.reason));
  if (entry.kind !== 'source') return null;
  if (entry.decision.kind === 'rejected') return refused(outcomeOf(entry, false).words);
  const { value } = parseHeader(entry.header, (json) => parseSource(json, entry.sourceType, chromiumLimits));
  if (value === null) return null;
  const end = after(entry.time, value.expiry);
  return end > trigger.time
    ? null
    : { cause: t('missed_expired', { time: showTime(end) }), fix: t('missed_longer') };
}

const refused = (
  reason: string,
  place: ReturnType<typeof placeOf> = 'part',
): Omit<MissedSource, 'entryId'> => ({
  cause: t('missed_refused', { reason, place }),
  fix: t('missed_mend'),
});
