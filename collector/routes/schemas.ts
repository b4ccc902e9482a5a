import type { ReportKind } from '../../src/model/records';
import type { DownloadFormat } from '../formats/table';
import { featureProperties, sourceProperties, type SourceQuery } from './source-query';

const uint64 = { type: 'string', pattern: '^\\d+$', description: 'An unsigned 64-bit integer in decimal' };
const site = { type: 'string', format: 'uri' };

const eventLevel = {
  type: 'object',
  additionalProperties: false,
  required: [
    'report_id',
    'attribution_destination',
    'source_type',
    'source_event_id',
    'trigger_data',
    'scheduled_report_time',
  ],
  anyOf: [{ required: ['randomized_trigger_rate'] }, { required: ['noisy_value'] }],
  properties: {
    report_id: {
      type: 'string',
      format: 'uuid',
      description: 'Reports are stored once for each id and kind',
    },
    attribution_destination: {
      anyOf: [site, { type: 'array', items: site, minItems: 2, maxItems: 3 }],
    },
    source_type: { enum: ['navigation', 'event'] },
    source_event_id: uint64,
    trigger_data: uint64,
    randomized_trigger_rate: { type: 'number', minimum: 0, maximum: 1 },
    scheduled_report_time: { type: 'string', pattern: '^\\d+$', description: 'Seconds since 1970' },
    trigger_summary_bucket: {
      type: 'array',
      items: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
      minItems: 2,
      maxItems: 2,
    },
    noisy_value: { type: 'number', description: 'The output of a label-DP mechanism on values' },
    source_debug_key: uint64,
    trigger_debug_key: uint64,
    trigger_debug_keys: { type: 'array', items: uint64 },
  },
};

const verbose = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'body'],
    properties: { type: { type: 'string', minLength: 1 }, body: {} },
  },
};

/** What the OpenAPI document says of the bodies of reports. */
export const bodySchemas: Readonly<Record<ReportKind, object>> = {
  'event-level': eventLevel,
  'event-level-debug': eventLevel,
  'verbose-debug': verbose,
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
