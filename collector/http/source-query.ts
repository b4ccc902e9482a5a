import { Refusal } from './refusal';
import type { SourceFilter } from '../store/source-filter';

/** The query parameters that choose sources. `is.NAME` lists values, of which a source must have one. */
export interface SourceQuery {
  readonly from?: string;
  readonly to?: string;
  readonly [is: `is.${string}`]: readonly string[];
}

const values = (description: string): object => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

/** Query parameters that choose sources and, with them, reports. */
export const sourceProperties = {
  from: { type: 'string', format: 'date-time', description: 'When the source was registered' },
  to: { type: 'string', format: 'date-time', description: 'The first moment that is too late' },
  'is.destination': values('One of the sites of the source; may come more than once, as all of `is.…`'),
  'is.source_type': values('`navigation` or `event`'),
  'is.reporting_origin': values('Whose the source is'),
  'is.configuration': values('The id of its configuration'),
  'is.mechanism': values('`rr`, `rr-with-prior`, `rr-on-bins` or `unbiased`'),
} as const;

const properties = Object.keys(sourceProperties).flatMap((name) => name.split('is.')[1] ?? []);

/** `is.` and the name of any feature of the source log. */
export const featureProperties = {
  [`^is\\.(?!(${properties.join('|')})$).`]: values('A feature of the source log'),
};

const IS = 'is.';

/**
 * Parses a date-time of a query string.
 * @throws Refusal for a leap second, which is well formed but which Date cannot represent.
 */
export function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Refusal('other', `querystring/${name} must be a time that is no leap second`, name);
}

export const sourceFilterOf = (query: SourceQuery): SourceFilter => ({
  from: timeOf('from', query.from),
  to: timeOf('to', query.to),
  is: new Map(
    (Object.entries(query) as [string, unknown][]).flatMap(([name, chosen]) =>
      name.startsWith(IS) ? [[name.slice(IS.length), chosen as readonly string[]] as const] : [],
    ),
  ),
});
