import type { Parameter } from './database';

/** Which sources, and with them which reports. */
export interface SourceFilter {
  /** When they were registered. */
  readonly from: Date | null;
  /** The first moment that is too late. */
  readonly to: Date | null;
  /** By name of a property or feature, of which values each source has one. */
  readonly is: ReadonlyMap<string, readonly string[]>;
}

export const anySource: SourceFilter = { from: null, to: null, is: new Map() };

/** The values of a statement's parameters, numbered as they are added. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** @returns the place of the value: `$1`. */
  add(value: Parameter): string {
    return `$${this.values.push(value)}`;
  }
}

/** What a report says of its source by itself; `alias` is that of its table or that of the sources, which have the same columns. */
const shared: ReadonlyMap<string, (alias: string) => string> = new Map([
  ['destination', (alias) => `array_to_string(${alias}.destinations, ' ')`],
  ['source_type', (alias) => `${alias}.source_type`],
  ['reporting_origin', (alias) => `${alias}.reporting_origin`],
]);

const mechanismOf = (alias: string): string =>
  `(SELECT definition::JSON #>> '{mechanism,kind}' FROM configurations WHERE id = ${alias}.configuration)`;

/** Whether a report alone does not tell it. */
export const isOfLog = (name: string): boolean => !shared.has(name);

/** Whether the filter asks for more than reports tell by themselves: then those of sources that are not logged are out. */
export const needsLog = ({ from, to, is }: SourceFilter): boolean =>
  from !== null || to !== null || [...is.keys()].some(isOfLog);

/** The value of a property or feature as text, empty where a source has none. */
export function valueOf(name: string, alias: string, parameters: Parameters): string {
  const column = shared.get(name);
  if (column !== undefined) return column(alias);
  if (name === 'configuration') return `${alias}.configuration`;
  if (name === 'mechanism') return mechanismOf(alias);
  return `coalesce(${alias}.features::JSON ->> ${parameters.add(name)}::TEXT, '')`;
}

/** What must hold of a row of `sources`; or of one of `reports`, where the log is not needed. */
export function conditions({ from, to, is }: SourceFilter, alias: string, parameters: Parameters): string {
  const all = [...is].map(([name, values]) =>
    name === 'destination'
      ? `${alias}.destinations && ${parameters.add(values)}::TEXT[]`
      : `${valueOf(name, alias, parameters)} = ANY(${parameters.add(values)}::TEXT[])`,
  );
  if (from !== null) all.push(`${alias}.source_time >= ${parameters.add(from.toISOString())}::TIMESTAMPTZ`);
  if (to !== null) all.push(`${alias}.source_time < ${parameters.add(to.toISOString())}::TIMESTAMPTZ`);
  return all.length === 0 ? 'TRUE' : all.join(' AND ');
}

/** Joins the reports `r` with their sources `s`. */
export const WITH_SOURCES =
  'reports r JOIN sources s ON s.source_event_id = r.source_event_id AND s.reporting_origin = r.reporting_origin';
