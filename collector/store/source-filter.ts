import type { Parameter } from './database';
import type { Range } from './pieces';

/** Chooses sources and, with them, reports. */
export interface SourceFilter {
  /** Time of registration. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  /** By property or feature: a source must have one of the values. */
  readonly is: ReadonlyMap<string, readonly string[]>;
}

/** When chosen sources were registered. */
export const rangeOf = ({ from, to }: SourceFilter): Range => ({
  from: from?.getTime() ?? -Infinity,
  to: to?.getTime() ?? Infinity,
});

export const anySource: SourceFilter = { from: null, to: null, is: new Map() };

/** The values of a statement's parameters, numbered in order. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** @returns the value's placeholder, such as `$1`. */
  add(value: Parameter): string {
    return `$${this.values.push(value)}`;
  }
}

/** The property as far as a report itself states it. `alias` is the table of reports or of sources, which share these columns. */
const shared: ReadonlyMap<string, (alias: string) => string> = new Map([
  ['destination', (alias) => `array_to_string(${alias}.destinations, ' ')`],
  ['source_type', (alias) => `${alias}.source_type`],
  ['reporting_origin', (alias) => `${alias}.reporting_origin`],
]);

const mechanismOf = (alias: string): string =>
  `(SELECT definition::JSON #>> '{mechanism,kind}' FROM configurations WHERE id = ${alias}.configuration)`;

/** Whether only the source log has this property. */
export const isOfLog = (name: string): boolean => !shared.has(name);

/** Whether the filter needs the source log. If so, reports of sources that are not logged are left out. */
export const needsLog = ({ from, to, is }: SourceFilter): boolean =>
  from !== null || to !== null || [...is.keys()].some(isOfLog);

/** A property or feature as text; empty if a source has none. */
export function valueOf(name: string, alias: string, parameters: Parameters): string {
  const column = shared.get(name);
  if (column !== undefined) return column(alias);
  if (name === 'configuration') return `${alias}.configuration`;
  if (name === 'mechanism') return mechanismOf(alias);
  return `coalesce(${alias}.features::JSON ->> ${parameters.add(name)}::TEXT, '')`;
}

/** The condition on values: of a row of `sources` or `kinds`, or of `reports` if the log is not needed. */
export const hasValues = (is: SourceFilter['is'], alias: string, parameters: Parameters): string =>
  [
    'TRUE',
    ...[...is].map(([name, values]) =>
      name === 'destination'
        ? `${alias}.destinations && ${parameters.add(values)}::TEXT[]`
        : `${valueOf(name, alias, parameters)} = ANY(${parameters.add(values)}::TEXT[])`,
    ),
  ].join(' AND ');

/** The condition on a row of `sources`, or of `reports` if the log is not needed. */
export function conditions({ from, to, is }: SourceFilter, alias: string, parameters: Parameters): string {
  const all = [hasValues(is, alias, parameters)];
  if (from !== null) all.push(`${alias}.source_time >= ${parameters.add(from.toISOString())}::TIMESTAMPTZ`);
  if (to !== null) all.push(`${alias}.source_time < ${parameters.add(to.toISOString())}::TIMESTAMPTZ`);
  return all.join(' AND ');
}

/** The condition that a report names a source. */
export const OF_SOURCE = 's.source_event_id = r.source_event_id AND s.reporting_origin = r.reporting_origin';

export const WITH_SOURCES = `reports r JOIN sources s ON ${OF_SOURCE}`;
