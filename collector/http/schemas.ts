import type { FastifyReply } from 'fastify';
import type { Json } from '../../src/model/json';
import type { ReportKind } from '../../src/model/records';
import { aggregatableReport } from '../../formats/reports/aggregatable-report';
import { verboseReport } from '../../formats/reports/debug-report';
import { eventLevelReport } from '../../formats/reports/event-level-report';
import type { DownloadFormat } from './table';
import { featureProperties, sourceProperties, type SourceQuery } from './source-query';

/** The bodies of reports in the OpenAPI document. */
export const bodySchemas: Readonly<Record<ReportKind, object>> = {
  'event-level': eventLevelReport.schema,
  'event-level-debug': eventLevelReport.schema,
  'verbose-debug': verboseReport.schema,
  aggregatable: aggregatableReport.schema,
  'aggregatable-debug': aggregatableReport.schema,
  'aggregate-debug': aggregatableReport.schema,
};

export const refusalSchema = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    path: { type: 'string', description: 'Where in the body, or the name of the header' },
    reason: { type: 'string', description: 'The word by which the metrics count it' },
  },
};

/** @param more what an answer can be besides JSON. */
export const answerSchema = (
  description: string,
  { schema }: { readonly schema: object },
  more: object = {},
): object => ({
  200: { description, content: { 'application/json': { schema }, ...more } },
  '4xx': refusalSchema,
});

/** Sends JSON as a codec has written it. */
export const sendJson = (reply: FastifyReply, json: Json): FastifyReply =>
  reply.type('application/json').send(JSON.stringify(json));

export const downloadFormats: readonly DownloadFormat[] = ['ndjson', 'csv', 'parquet'];

/** The format and the sources of a download. */
export interface DownloadQuery extends SourceQuery {
  readonly format: DownloadFormat;
}

/** The query string of what is asked about some sources. @param more its further properties */
export const querySchema = (more: object): object => ({
  type: 'object',
  additionalProperties: false,
  properties: { ...more, ...sourceProperties },
  patternProperties: featureProperties,
});

/** By what is grouped. */
export const oneGroup = {
  group: { type: 'string', minLength: 1, default: 'destination', description: 'As for /estimates, but one' },
};

/** @param more further properties of the query string. */
export const downloadSchema = (tag: string, summary: string, more: object = {}): object => ({
  summary,
  tags: [tag],
  querystring: querySchema({ format: { enum: downloadFormats, default: 'ndjson' }, ...more }),
  response: { 200: { description: 'A stream of rows', type: 'string' }, '4xx': refusalSchema },
});
