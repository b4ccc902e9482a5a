import type { Queries } from './database';

/** A property or feature of sources, with its values. */
export interface Dimension {
  readonly name: string;
  readonly isFeature: boolean;
  /** Most frequent first. */
  readonly values: readonly { readonly value: string; readonly sources: number }[];
  /** How many different values there are. */
  readonly distinct: number;
}

const LISTED_VALUES = 50;

/** One row per kind and property or feature, with name and value. */
const VALUES = `
  SELECT 'destination' AS name, FALSE AS feature, site AS value, sources FROM logged, unnest(destinations) AS site
  UNION ALL SELECT 'source_type', FALSE, source_type, sources FROM logged
  UNION ALL SELECT 'reporting_origin', FALSE, reporting_origin, sources FROM logged
  UNION ALL SELECT 'mechanism', FALSE, definition::JSON #>> '{mechanism,kind}', sources
    FROM logged JOIN configurations ON configurations.id = logged.configuration
  UNION ALL SELECT 'configuration', FALSE, configuration, sources FROM logged
  UNION ALL SELECT key, TRUE, value, sources FROM logged, json_each_text(features::JSON) WHERE value IS NOT NULL`;

/** All properties and features by which sources can be chosen and grouped; features come last, by name. */
export async function selectDimensions(queries: Queries): Promise<readonly Dimension[]> {
  const rows = await queries.query<{
    name: string;
    feature: boolean;
    value: string;
    sources: number;
    distinct_values: number;
  }>(
    `WITH logged AS (SELECT * FROM kinds WHERE sources > 0)
     SELECT * FROM (
       SELECT name, feature, value, sum(sources)::BIGINT AS sources, count(*) OVER (PARTITION BY name, feature)::BIGINT AS distinct_values,
         row_number() OVER (PARTITION BY name, feature ORDER BY sum(sources) DESC, value)::INTEGER AS place
       FROM (${VALUES}) AS named GROUP BY name, feature, value) AS counted
     WHERE place <= ${LISTED_VALUES} ORDER BY feature, name, place`,
    [],
  );
  const dimensions = new Map<string, Dimension & { readonly values: Dimension['values'][number][] }>();
  for (const { name, feature, value, sources, distinct_values: distinct } of rows) {
    const dimension = dimensions.get(name) ?? { name, isFeature: feature, values: [], distinct };
    dimension.values.push({ value, sources });
    dimensions.set(name, dimension);
  }
  return [...dimensions.values()];
}
