import type { JsonObject } from '../../../src/model/json';
import type { TriggerRegistration } from '../../../src/model/registration';
import type { Source } from '../../../src/model/records';
import { siteOf } from '../../../src/model/site';
import { t } from '../../i18n';
import type { TriggerEntry } from '../data/trigger-entry';
import { allOf, bare } from '../words/words';
import { filterChange, filterSize } from './filter-change';
import type { Change } from './suggested-change';
import { without } from './workbench';

/** A conversion, and the sources that it might have matched. */
export interface Conversion {
  readonly json: JsonObject;
  readonly registration: TriggerRegistration;
  /** The newest first. */
  readonly sources: readonly Source[];
}

/** How many pairs of a source and a filter are compared: with fewer than 100 filters, all 300 sources that a page reads. */
const MOST_COMPARED = 30_000;

/**
 * Of the newest sources, the one that needs the fewest changes to match. Of several, a source of the same ad server comes first, because
 * no other can be mended with it.
 * @returns null if none shares origin or destination
 */
export function nearest(entry: TriggerEntry, given: Conversion): Change | null {
  const most = Math.ceil(MOST_COMPARED / (1 + filterSize(given.registration)));
  const scopes = new Set(given.registration.attributionScopes);
  const [found] = given.sources
    // Only what was registered before, and not removed since by a limit.
    .filter(({ id, forgotten }) => id < entry.id && forgotten === undefined)
    .filter(({ time, expiryTime }) => time <= entry.time && entry.time < expiryTime)
    .filter(
      ({ reportingOrigin, registration }) =>
        reportingOrigin === entry.reportingOrigin ||
        registration.destinations.includes(siteOf(entry.contextOrigin)),
    )
    .slice(0, most)
    .map((source) => toReach(source, entry, given.registration, scopes))
    .sort(
      (a, b) => a.count - b.count || Number(a.isOfOther) - Number(b.isOfOther) || b.sourceId - a.sourceId,
    );
  if (found === undefined) return null;
  const { sentences, causes, sourceId, isHeader, inHeader } = found;
  return {
    ...(causes.length === 0 ? {} : { cause: causes.join(' ') }),
    ...{ sentences, sourceId, header: isHeader ? inHeader(given.json) : null },
  };
}

/** What must change for a conversion to match a source. */
interface Reach {
  readonly causes: readonly string[];
  readonly sentences: readonly string[];
  readonly sourceId: number;
  readonly isOfOther: boolean;
  /** How many things. */
  readonly count: number;
  /** Whether the header must change. */
  readonly isHeader: boolean;
  readonly inHeader: (json: JsonObject) => JsonObject;
}

function toReach(
  source: Source,
  entry: TriggerEntry,
  trigger: TriggerRegistration,
  scopes: ReadonlySet<string>,
): Reach {
  const { id, reportingOrigin, registration, attributionScopes } = source;
  const site = siteOf(entry.contextOrigin);
  const sentences: string[] = [];
  const causes: string[] = [];
  const because = (cause: string, fix: string): void => {
    causes.push(cause);
    sentences.push(fix);
  };
  const isOfOther = reportingOrigin !== entry.reportingOrigin;
  if (isOfOther) {
    const named = { is: bare(entry.reportingOrigin), wanted: bare(reportingOrigin) };
    because(t('cause_origin', named), t('change_origin', named));
  }
  if (!registration.destinations.includes(site)) {
    const named = { is: allOf(registration.destinations.map(bare)), wanted: bare(site) };
    because(t('cause_destination', named), t('change_destination', named));
  }
  const values = attributionScopes?.values ?? [];
  const isOutOfScope = scopes.size > 0 && !values.some((value) => scopes.has(value));
  if (isOutOfScope)
    because(
      t('cause_scopes'),
      values.length === 0 ? t('change_no_scopes') : t('change_scopes', { scopes: values.join(', ') }),
    );
  const filters = filterChange(trigger, source, entry.time);
  const count = sentences.length + filters.count;
  if (filters.count > 0) sentences.push(t('change_filters', { count: filters.count }));
  return {
    causes,
    sentences,
    sourceId: id,
    isOfOther,
    count,
    isHeader: isOutOfScope || filters.count > 0,
    inHeader: (json) => filters.in(isOutOfScope ? withScopes(json, values) : json),
  };
}

const withScopes = (json: JsonObject, values: readonly string[]): JsonObject =>
  values.length === 0 ? without(json, 'attribution_scopes') : { ...json, attribution_scopes: values };
