import type { SourceFilter } from '../store/source-filter';

/** What of a query string chooses sources. `is.NAME` holds values, of which a source has to have one. */
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

/** The properties of a query string that choose sources, and with them the reports of these. */
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

export const sourceFilterOf = (query: SourceQuery): SourceFilter => ({
  from: query.from === undefined ? null : new Date(query.from),
  to: query.to === undefined ? null : new Date(query.to),
  is: new Map(
    (Object.entries(query) as [string, unknown][]).flatMap(([name, chosen]) =>
      name.startsWith(IS) ? [[name.slice(IS.length), chosen as readonly string[]] as const] : [],
    ),
  ),
});
