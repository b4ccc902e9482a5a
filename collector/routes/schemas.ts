import type { ReportKind } from '../../src/model/records';
import { verboseReport } from '../../src/wire/debug-report';
import { eventLevelReport } from '../../src/wire/event-level-report';
import type { DownloadFormat } from '../formats/table';
import { featureProperties, sourceProperties, type SourceQuery } from './source-query';

/** What the OpenAPI document says of the bodies of reports. */
export const bodySchemas: Readonly<Record<ReportKind, object>> = {
  'event-level': eventLevelReport.schema,
  'event-level-debug': eventLevelReport.schema,
  'verbose-debug': verboseReport.schema,
};

export const refusalSchema = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    path: { type: 'string', description: 'Where in the body, or the name of the header' },
  },
};

export const downloadFormats: readonly DownloadFormat[] = ['ndjson', 'csv', 'parquet'];

/** Of what is a download of rows: in which format, and of which sources. */
export interface DownloadQuery extends SourceQuery {
  readonly format: DownloadFormat;
}

/** Describes a download of rows. @param more properties of its query string. */
export const downloadSchema = (tag: string, summary: string, more: object = {}): object => ({
  summary,
  tags: [tag],
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: { format: { enum: downloadFormats, default: 'ndjson' }, ...more, ...sourceProperties },
    patternProperties: featureProperties,
  },
  response: { 200: { description: 'A stream of rows', type: 'string' }, '4xx': refusalSchema },
});
