import type { FeatureColumn, StoredSource } from '../store/sources';
import type { Column } from './table';

type OfSource = Column<{ readonly source: StoredSource }>;

/** The first columns of every table of sources. */
export const sourceColumns: readonly OfSource[] = [
  { name: 'source_event_id', type: 'string', value: ({ source }) => String(source.sourceEventId) },
  { name: 'reporting_origin', type: 'string', value: ({ source }) => source.reportingOrigin },
  { name: 'destination', type: 'string', value: ({ source }) => source.destinations.join(' ') },
  { name: 'source_type', type: 'string', value: ({ source }) => source.sourceType },
  { name: 'time', type: 'time', value: ({ source }) => source.time },
  { name: 'configuration', type: 'string', value: ({ source }) => source.configuration },
];

export const featureColumn = (name: string, { name: feature, type }: FeatureColumn): OfSource => ({
  name,
  type,
  value: ({ source }) =>
    Object.hasOwn(source.features, feature) ? (source.features[feature] ?? null) : null,
});
