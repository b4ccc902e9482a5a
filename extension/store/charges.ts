import { MAX_CONVERSIONS } from '../../src/model/registration';
import type { Report, Source } from '../../src/model/records';
import type { Rows, TableName } from '../../src/store/rows';

/*
 * How many bytes a row counts. Whether another source finds room must tell nothing of conversions, so what a source counts is decided when it is
 * registered, as if it would make all that it may, and nothing changes it until its row is gone.
 */

/** In bytes: what a report and its rate-limit record take. */
const ROOM_FOR_REPORT = 1200;
/** What says which limits a destination of a source counts for. */
const ROOM_FOR_DESTINATION = 300;
/** The rest of a source’s row: how it was noised, and what it counted. */
const ROOM_FOR_STATE = 700;
/** A conversion that a source with `trigger_specs` keeps, and its part of a report. */
const ROOM_FOR_CONVERSION = 250;
/** What aggregatable reports have used of a source, without its named budgets. */
const ROOM_FOR_AGGREGATABLE = 1000;

/** About how many bytes a row counts for the table that it is in. */
export function chargeOf(table: TableName, row: Rows[TableName]): number {
  if (table === 'sources') return chargeOfSource(row as Source);
  // Counted with the source.
  if (table === 'pairUse' || (table === 'reports' && isOfSource(row as Report))) return 0;
  return sizeOf(row);
}

/** A report that every source makes by chance. */
const isOfSource = ({ kind }: Report): boolean => kind === 'event-level';

/** All that its own row, its output that is not drawn, its event-level reports and what limits count of it can take. */
function chargeOfSource({ registration, noise, flexible, aggregatable, ...source }: Source): number {
  const { sourceOrigin, sourceSite, reportingOrigin, recipient, aggregationKeys } = source;
  const { destinations, maxEventLevelReports, attributionScopes } = registration;
  const names = [sourceOrigin, sourceSite, reportingOrigin, recipient, aggregationKeys];
  // Which mechanism draws its output is known when it is registered.
  const isDrawnLater = noise.kind === 'undrawn' || noise.kind === 'drawn';
  return (
    (isDrawnLater ? 2 : 1) * (sizeOf([registration, attributionScopes, names]) + ROOM_FOR_STATE) +
    destinations.length * ROOM_FOR_DESTINATION +
    maxEventLevelReports * ROOM_FOR_REPORT +
    (flexible === null ? 0 : MAX_CONVERSIONS * ROOM_FOR_CONVERSION) +
    (aggregatable === null ? 0 : ROOM_FOR_AGGREGATABLE)
  );
}

/** About how many bytes a stored value takes. It makes no lists of its parts: it is asked of each row that a flood writes. */
export function sizeOf(value: unknown): number {
  // Browsers store Latin text with one byte for each character.
  if (typeof value === 'string') return 4 + value.length * (/^[\0-\xff]*$/.test(value) ? 1 : 2);
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  if (Symbol.iterator in value) for (const part of value as Iterable<unknown>) size += sizeOf(part);
  else
    // Rows are plain objects, so no name is inherited.
    for (const name in value)
      size += sizeOf(name) + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return size;
}
