import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { collectedLine, tableRow } from '../../../analysis/estimate/join/collected-line';
import { estimateResult } from '../../../analysis/estimate/result/estimate-result';
import { counts, dimensions, reach, statistics, summary, truth } from '../../../collector/http/answers';
import { reachLine } from '../../../collector/http/posted-reach';
import { sliceLine } from '../../../collector/http/posted-summary';
import { loggedSource } from '../../../collector/sources/logged-source';
import type { EventLevelReportBody } from '../../../scenarios/kit';
import { temporaryCollector } from '../helpers/empty-store';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { ReportKind } from '../../../src/model/records';
import { moment } from '../../../src/model/units';
import type { Parser, Codec } from '../../../formats/codec/codec';
import { parse, strictly } from '../../../formats/codec/issues';
import {
  aggregatableReport,
  sealedPayloads,
  sharedInfoText,
} from '../../../formats/reports/aggregatable-report';
import { verboseReport } from '../../../formats/reports/debug-report';
import { eventLevelReport, type EventLevelField } from '../../../formats/reports/event-level-report';
import { mechanism } from '../../../formats/settings/mechanism';
import { reportPaths } from '../../../formats/reports/report-kind';
import { publicKeys } from '../../../formats/reports/sealed-payload';
import { collectedReport } from '../../../formats/reports/report-line';
import { aggregatable, report } from '../helpers/collector-client';

/** Documents that are as they should be, and documents with one mistake. */
interface Corpus {
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
  /** Mistakes that JSON Schema cannot express. */
  readonly badForParserOnly: readonly Json[];
}

const without = (document: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

const eventLevel: Corpus = {
  good: [
    report,
    { ...report, attribution_destination: ['https://a.example', 'https://b.example'] },
    { ...report, attribution_destination: 'http://shop.localhost:8081' },
    { ...report, attribution_destination: 'http://127.0.0.1' },
    { ...report, source_type: 'event' },
    { ...report, source_event_id: '0' },
    { ...report, source_event_id: '18446744073709551615' },
    { ...report, source_event_id: '0018446744073709551615' },
    { ...report, trigger_summary_bucket: [0, 4294967295] },
    { ...report, randomized_trigger_rate: 0 },
    { ...without(report, 'randomized_trigger_rate'), noisy_value: -0.25 },
    { ...report, source_debug_key: '1', trigger_debug_key: '2' },
    { ...report, source_debug_key: '1', trigger_debug_keys: ['2', '3'] },
  ],
  bad: [
    null,
    [],
    'report',
    ...Object.keys(report).map((name) => without(report, name)),
    ...Object.keys(report).map((name) => ({ ...report, [name]: null })),
    ...Object.keys(report).map((name) => ({ ...report, [name]: {} })),
    { ...report, unknown: 1 },
    { ...report, report_id: report.report_id.toUpperCase() },
    { ...report, attribution_destination: 'shop.example' },
    { ...report, attribution_destination: 'http://shop.example' },
    { ...report, attribution_destination: 'https://shop.example/' },
    { ...report, attribution_destination: 'https://Shop.example' },
    { ...report, attribution_destination: 'https://shop.example:443' },
    { ...report, attribution_destination: ['https://shop.example'] },
    { ...report, attribution_destination: ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example`) },
    { ...report, source_type: 'click' },
    { ...report, source_event_id: 1 },
    { ...report, source_event_id: '-1' },
    { ...report, source_event_id: '' },
    { ...report, source_event_id: '18446744073709551616' },
    { ...report, source_event_id: '20000000000000000000' },
    { ...report, trigger_data: '99999999999999999999' },
    { ...report, randomized_trigger_rate: 1.1 },
    { ...report, randomized_trigger_rate: '0.1' },
    { ...report, scheduled_report_time: 1795392000 },
    { ...report, scheduled_report_time: '1795392000.5' },
    { ...report, trigger_summary_bucket: [1] },
    { ...report, trigger_summary_bucket: [1, 2, 3] },
    { ...report, trigger_summary_bucket: [0, 4294967296] },
    { ...report, trigger_summary_bucket: [0.5, 1] },
    { ...report, noisy_value: '1' },
    { ...report, source_debug_key: 1 },
    { ...report, trigger_debug_keys: '2' },
  ],
  badForParserOnly: [{ ...report, trigger_summary_bucket: [2, 1] }],
};

const verbose: Corpus = {
  good: [
    [{ type: 'source-success', body: {} }],
    [
      { type: 'a', body: null },
      { type: 'b', body: [1] },
    ],
  ],
  bad: [
    null,
    {},
    [],
    [{ type: '', body: {} }],
    [{ type: 1, body: {} }],
    [{ body: {} }],
    [{ type: 'a' }],
    [{ type: 'a', body: {}, more: 1 }],
  ],
  badForParserOnly: [],
};

const line = {
  ...report,
  cursor: 1,
  kind: 'event-level',
  received_time: '2026-02-03T04:05:06.007Z',
  reporting_origin: 'https://ads.example',
  report_url: null,
};

const lines: Corpus = {
  good: [
    line,
    without(line, 'cursor', 'kind', 'received_time', 'report_url'),
    { ...line, report_id: 'any', unknown: 1 },
    { ...without(line, 'trigger_data'), noisy_value: 1 },
    { ...line, kind: 'event-level-debug' },
    { ...line, received_time: 1770091506007 },
    { ...line, received_time: '1770091506007' },
    { ...line, received_time: '2026-02-03T04:05+01:00' },
    { ...line, received_time: '2026-02-03T04:05:06.123456+0100' },
  ],
  bad: [
    without(line, 'reporting_origin'),
    without(line, 'trigger_data'),
    { ...line, kind: 'other' },
    { ...line, cursor: -1 },
    { ...line, received_time: '2026-02-03T04:05:06' },
    { ...line, received_time: 'noon' },
    { ...line, received_time: -1 },
    { ...line, received_time: 253402300800000 },
    { ...line, received_time: '253402300800000' },
    { ...line, report_url: 1 },
  ],
  badForParserOnly: [
    { ...line, received_time: '2026-02-31T00:00:00Z' },
    { ...line, received_time: '2026-02-03T25:00:00Z' },
  ],
};

const unbiased = { kind: 'unbiased', values: [0, 1], prior: ['1/2', 0.5] };
const onBins = { ...unbiased, kind: 'rr-on-bins', loss: 'poisson' };

const tallied = {
  received: 5,
  duplicates: 0,
  conflicting: 1,
  refused: 2,
  newest_source: 9,
  newest_posted: 3,
};
const groupCount = { group: 'Spring sale', reports: 2, sources: 3 };
const timeCount = { start: '2026-01-01T00:00:00.000Z', group: null, other: true, reports: 2 };
const delayCount = { from: null, to: 60, reports: 1 };
const statisticsAnswer = {
  reports: 2,
  sources: 3,
  unit: 'hour',
  groups: [groupCount, { ...groupCount, group: null }],
  moreGroups: 0,
  overTime: [timeCount, { ...timeCount, group: 'Spring sale', other: false }],
  delays: [delayCount, { from: 604800, to: null, reports: 0 }],
};
const dimension = {
  name: 'campaign',
  isFeature: true,
  values: [{ value: 'Spring sale', sources: 3 }],
  distinct: 1,
};
const defined = {
  id: 'c1',
  definition: {
    source_type: 'event',
    registration: { event_level_epsilon: 14 },
    mechanism: { kind: 'rr' },
    k: '3',
  },
  shape: {
    triggerSpecs: [
      {
        triggerData: [0, 1],
        windows: { start: 0, ends: [86400000] },
        summaryOperator: 'count',
        summaryBuckets: [1],
      },
    ],
    maxEventLevelReports: 1,
    flexible: false,
  },
};
const dimensionsAnswer = { counts: tallied, dimensions: [dimension], configurations: [defined] };

/** Each without one of its fields, and with one too many. */
const misfits = (document: JsonObject): readonly JsonObject[] => [
  ...Object.keys(document).map((name) => without(document, name)),
  { ...document, unknown: 1 },
];

const countsCorpus: Corpus = {
  good: [tallied],
  bad: [null, ...misfits(tallied), { ...tallied, refused: -1 }],
  badForParserOnly: [],
};

const slice = { slice: 'campaign=a', estimate: 4.5, error: 1, low: 2.5, high: 6.5 };
const noShares = { share: null, share_low: null, share_high: null };
const reached = {
  ...noShares,
  by: 'exact',
  impressions: 1,
  estimate: 9,
  low: 9,
  high: 9,
  group: [['campaign', 'a']],
};

/** Of what an operator posted for the dashboard. */
const postedCorpus = (row: JsonObject): Corpus => {
  const posted = { received_time: '2026-11-22T10:00:00.000Z', rows: [row] };
  return {
    good: [posted, { received_time: null, rows: [] }],
    bad: [...misfits(posted), ...misfits(row).map((other) => ({ ...posted, rows: [other] }))],
    badForParserOnly: [],
  };
};

const sliceRow = {
  bucket: null,
  value: null,
  standard_error: null,
  low: null,
  high: null,
  discovered: null,
  consistent: 4.5,
  consistent_error: 1,
  consistent_low: 2.5,
  consistent_high: 6.5,
  slice: 'campaign=a',
};
const bucketRow = { ...sliceRow, bucket: '0x1f', value: 4, standard_error: 1, low: 2, high: 6, slice: null };

const sliceRows: Corpus = {
  good: [
    sliceRow,
    bucketRow,
    { ...bucketRow, discovered: true },
    { ...sliceRow, consistent: null, consistent_error: null, consistent_low: null, consistent_high: null },
    { ...sliceRow, consistent_low: -1e300 },
  ],
  bad: [
    null,
    [],
    ...misfits(sliceRow),
    ...Object.keys(sliceRow).map((name) => ({ ...sliceRow, [name]: {} })),
    ...Object.keys(sliceRow).map((name) => ({ ...sliceRow, [name]: name === 'slice' ? 1 : '1.5' })),
    { ...bucketRow, bucket: 31 },
    { ...bucketRow, bucket: `0x${'f'.repeat(33)}` },
    { ...sliceRow, consistent_error: -1 },
  ],
  badForParserOnly: [],
};

const reachRow = {
  by: 'exact',
  quantity: 'reach',
  impressions: null,
  estimate: 9,
  low: 9,
  high: 9.5,
  ...noShares,
};

const reachRows: Corpus = {
  good: [
    reachRow,
    { ...reachRow, quantity: 'at-least', impressions: 2 },
    { ...reachRow, quantity: 'frequency', impressions: 1 },
    { ...reachRow, campaign: 'a', position: 3, is_new: true, nothing: null },
  ],
  bad: [
    null,
    [],
    ...Object.keys(reachRow).map((name) => without(reachRow, name)),
    ...Object.keys(reachRow).map((name) => ({ ...reachRow, [name]: {} })),
    { ...reachRow, by: 'guess' },
    { ...reachRow, quantity: 'people' },
    { ...reachRow, impressions: 0 },
    { ...reachRow, impressions: 1.5 },
    { ...reachRow, estimate: '9' },
    { ...reachRow, low: null },
  ],
  badForParserOnly: [],
};

const happened = { configuration: 'c1', group: 'https://shop.example', conversions: 3, converted: 2 };

const truthCorpus: Corpus = {
  good: [{ groups: [happened, { ...happened, group: '', conversions: 0 }] }, { groups: [] }],
  bad: [
    null,
    [],
    ...misfits({ groups: [] }),
    ...misfits(happened).map((group) => ({ groups: [group] })),
    ...Object.keys(happened).map((name) => ({ groups: [{ ...happened, [name]: null }] })),
    { groups: [{ ...happened, converted: 0.5 }] },
    { groups: [{ ...happened, conversions: -1 }] },
  ],
  badForParserOnly: [],
};

const statisticsCorpus: Corpus = {
  good: [statisticsAnswer, { ...statisticsAnswer, groups: [], overTime: [], delays: [] }],
  bad: [
    [],
    ...misfits(statisticsAnswer),
    ...misfits(groupCount).map((group) => ({ ...statisticsAnswer, groups: [group] })),
    ...misfits(timeCount).map((time) => ({ ...statisticsAnswer, overTime: [time] })),
    ...misfits(delayCount).map((delay) => ({ ...statisticsAnswer, delays: [delay] })),
    { ...statisticsAnswer, unit: 'week' },
    { ...statisticsAnswer, overTime: [{ ...timeCount, start: 'yesterday' }] },
  ],
  badForParserOnly: [],
};

const dimensionsCorpus: Corpus = {
  good: [
    dimensionsAnswer,
    { counts: tallied, dimensions: [], configurations: [{ ...defined, shape: null }] },
  ],
  bad: [
    'none',
    ...misfits(dimensionsAnswer),
    ...misfits(tallied).map((other) => ({ ...dimensionsAnswer, counts: other })),
    ...misfits(dimension).map((other) => ({ ...dimensionsAnswer, dimensions: [other] })),
    ...misfits(defined).map((other) => ({ ...dimensionsAnswer, configurations: [other] })),
    ...misfits(defined.definition).map((definition) => ({
      ...dimensionsAnswer,
      configurations: [{ ...defined, definition }],
    })),
    ...misfits(defined.shape).map((shape) => ({
      ...dimensionsAnswer,
      configurations: [{ ...defined, shape }],
    })),
  ],
  badForParserOnly: [],
};

const mechanisms: Corpus = {
  good: [
    { kind: 'rr' },
    unbiased,
    onBins,
    without(onBins, 'loss'),
    { kind: 'rr-with-prior', prior: ['0.25', '3/4'] },
    { kind: 'rr-with-prior', prior: [0.25, 7.5e-1], values: [0, '.5'] },
    { kind: 'rr-with-prior', prior: ['25e-2'] },
  ],
  bad: [
    null,
    'rr',
    {},
    { kind: 'other' },
    { kind: 'rr', loss: 'squared' },
    { kind: 'rr-with-prior' },
    { kind: 'rr-with-prior', prior: [] },
    { kind: 'rr-with-prior', prior: [null] },
    { kind: 'rr-with-prior', prior: ['half'] },
    { kind: 'rr-with-prior', prior: ['1/0'] },
    { kind: 'rr-with-prior', prior: ['1e9999'] },
    { kind: 'rr-with-prior', prior: ['1'.repeat(65)] },
    without(unbiased, 'values'),
    without(unbiased, 'prior'),
    { ...unbiased, loss: 'squared' },
    { ...onBins, loss: 'other' },
    { ...onBins, values: Array.from({ length: 257 }, (_, value) => value) },
  ],
  badForParserOnly: [],
};

const row = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'navigation',
  time: '2026-01-01T00:00:00Z',
  registration: {},
};

/** Of whom no configuration is known. */
const rows: Corpus = {
  good: [
    row,
    { ...row, reporting_origin: 'http://localhost:8082' },
    { ...row, destination: ['https://a.example', 'https://b.example'] },
    { ...row, destination: 'https://a.example https://b.example' },
    { ...without(row, 'destination'), registration: { destination: 'https://shop.example' } },
    { ...row, registration: '{"max_event_level_reports":1}' },
    { ...row, time: 1767225600000 },
    { ...row, time: '1767225600000' },
    { ...row, time: '1969-12-31T23:59:59.5-0100' },
    { ...row, epsilon: 0 },
    { ...row, epsilon: '2.5' },
    { ...row, mechanism: { kind: 'rr' } },
    { ...row, mechanism: '{"kind":"rr"}' },
    { ...row, campaign: 'a', position: 3, is_new: true, nothing: null },
  ],
  bad: [
    null,
    [],
    ...['source_event_id', 'reporting_origin', 'source_type', 'time', 'registration'].map((name) =>
      without(row, name),
    ),
    ...Object.keys(row).map((name) => ({ ...row, [name]: null })),
    { ...row, source_event_id: 1 },
    { ...row, reporting_origin: 'ads.example' },
    { ...row, reporting_origin: 'http://ads.example' },
    { ...row, destination: [] },
    { ...row, source_type: 'click' },
    { ...row, time: '2026-01-01T00:00:00' },
    { ...row, time: 1.5 },
    { ...row, registration: [] },
    { ...row, epsilon: -1 },
    { ...row, epsilon: 'two' },
    { ...row, mechanism: { kind: 'other' } },
    { ...row, campaign: { name: 'a' } },
    { ...row, campaign: 'a\u0000' },
    { ...row, campaign: '\ud800' },
  ],
  badForParserOnly: [
    without(row, 'destination'),
    { ...row, destination: 'shop.example' },
    { ...row, time: '2026-02-30T00:00:00Z' },
    { ...row, epsilon: 15 },
    { ...row, registration: '{' },
    { ...row, registration: { source_event_id: '2' } },
    { ...row, registration: { max_event_level_reports: 21 } },
    { ...row, configuration: 'x' },
    { ...row, mechanism: '{' },
    { ...row, mechanism: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.6] } },
  ],
};

const estimated = {
  quantity: 'conversions',
  observed: 12,
  noise: 2.5,
  noise_share: 0.2,
  estimate: 0,
  unbiased: -0.5,
  variance: 1e-7,
  noise_variance: 1e-8,
  interval: [-3, null],
};

const ofGroup = { group: { campaign: 'a', constructor: 'b' }, sources: 3, estimates: [estimated] };

const configuration = {
  configuration: 'c',
  mechanism: 'rr',
  epsilon: 14,
  outputs: '2925',
  replace_probability: 0.0024,
  shortfall: null,
  mismatches: [
    {
      group: { campaign: 'a' },
      about: 'trigger-data',
      which: 1,
      side: 'at-least',
      value: 1,
      expected: 9.5,
      observed: 0,
    },
  ],
  lost_reports: null,
  likelihood_model: null,
  not_estimable: [{ quantity: 'label', value: 5 }],
  groups: [ofGroup],
};

const sourceCounts = {
  ...{ read: 3, repeated: 0, used: 3, missing: 0, impossible: 0, ambiguous: 0, reused: 0, heartbeats: 0 },
  ...{ unknown_configuration: 0, open: 0, flooded: 0, incomplete: 0 },
};

const reportCounts = {
  ...{ read: 2, used: 2, duplicate: 0, unknown_source: 0, unused_source: 0, late: 0, other_rate: 0 },
  inconsistent: { trigger_data: 0, window: 0, bucket: 0, too_many: 0, value: 0 },
  other_kinds: { 'verbose-debug': 2 },
};

const ofTotal = {
  ...ofGroup,
  ...{ covered: 2, uncovered: { values: 1, buckets: 0, hidden: 0 }, windows: [172800] },
  ...{ values: null, compared: null, rank: null, unranked: 'uncovered' },
};

const result = {
  level: 0.95,
  randomness: 'noise',
  as_of: '2026-02-05T00:00:00.000Z',
  sources: sourceCounts,
  reports: reportCounts,
  configurations: [configuration],
  totals: [ofTotal],
};

const withTotal = (more: JsonObject): JsonObject => ({ ...result, totals: [{ ...ofTotal, ...more }] });
const withConfiguration = (more: JsonObject): JsonObject => ({
  ...result,
  configurations: [{ ...configuration, ...more }],
});
const withGroup = (more: JsonObject): JsonObject => withConfiguration({ groups: [{ ...ofGroup, ...more }] });
const withEstimate = (more: JsonObject): JsonObject => withGroup({ estimates: [{ ...estimated, ...more }] });

const estimates: Corpus = {
  good: [
    result,
    { ...result, as_of: null, grace: 172800 },
    { ...result, grace: null, configurations: [] },
    withConfiguration({ replace_probability: null, shortfall: { reports: 1, expected: 9.5, observed: 2 } }),
    withConfiguration({ mechanism: 'unbiased', epsilon: 0, not_estimable: [] }),
    withGroup({ group: {}, estimates: [] }),
    withTotal({
      ...{ compared: { estimate: 0.5, interval: [0, 1] }, rank: { best: 1, worst: 2, tied: 1 } },
      values: { sources: 3, sum: estimated, average: estimated },
      unranked: null,
    }),
    withEstimate({ quantity: 'trigger-data-and-window', trigger_data: 7, window_end: 3600.5 }),
    withEstimate({ quantity: 'bucket', trigger_data: 0, bucket: [1, 4294967295] }),
    withEstimate({ quantity: 'state', state: '17' }),
    withEstimate({ quantity: 'bin', values: [0, -2.5], likelihood: { estimate: 1.5, interval: [0, 3] } }),
    withEstimate({
      observed: null,
      noise: null,
      noise_share: null,
      estimate: null,
      variance: null,
      unbiased: null,
    }),
  ],
  bad: [
    null,
    [],
    ...Object.keys(result).map((name) => without(result, name)),
    ...Object.keys(sourceCounts).map((name) => ({ ...result, sources: without(sourceCounts, name) })),
    ...Object.keys(reportCounts).map((name) => ({ ...result, reports: without(reportCounts, name) })),
    ...Object.keys(configuration).map((name) => ({
      ...result,
      configurations: [without(configuration, name)],
    })),
    ...Object.keys(ofGroup).map((name) => withConfiguration({ groups: [without(ofGroup, name)] })),
    ...Object.keys(estimated).map((name) => withGroup({ estimates: [without(estimated, name)] })),
    ...Object.keys(ofTotal).map((name) => ({ ...result, totals: [without(ofTotal, name)] })),
    withTotal({ unranked: 'unknown' }),
    withTotal({ rank: { best: 1, worst: 2 } }),
    { ...result, unknown: 1 },
    { ...result, level: 1.5 },
    { ...result, randomness: 'sampling' },
    { ...result, as_of: 'yesterday' },
    { ...result, as_of: 1770249600000 },
    { ...result, grace: -1 },
    { ...result, sources: { ...sourceCounts, read: 0.5 } },
    { ...result, reports: { ...reportCounts, other_kinds: { 'verbose-debug': '2' } } },
    { ...result, reports: { ...reportCounts, inconsistent: { window: 0 } } },
    withConfiguration({ mechanism: 'other' }),
    withConfiguration({ epsilon: null }),
    withConfiguration({ outputs: 2925 }),
    withConfiguration({ shortfall: { reports: 1, expected: 9.5 } }),
    withConfiguration({ not_estimable: ['label'] }),
    withGroup({ group: { campaign: 1 } }),
    withGroup({ group: ['a'] }),
    withEstimate({ quantity: 'other' }),
    withEstimate({ trigger_data: null }),
    withEstimate({ bucket: [1] }),
    withEstimate({ interval: [0, 1, 2] }),
    withEstimate({ interval: ['0', 1] }),
    withEstimate({ estimate: '1' }),
  ],
  badForParserOnly: [],
};

const payload = { key_id: 'a', payload: 'AAEC' };
const withPayload = (more: JsonObject): JsonObject => ({
  ...aggregatable,
  aggregation_service_payloads: [{ ...payload, ...more }],
});
const withSharedInfo = (more: JsonObject): JsonObject => ({
  ...aggregatable,
  shared_info: JSON.stringify({ ...(JSON.parse(aggregatable.shared_info) as JsonObject), ...more }),
});

const aggregatables: Corpus = {
  good: [
    aggregatable,
    { ...aggregatable, source_debug_key: '1', trigger_debug_key: '2', trigger_context_id: 'a' },
    withPayload({ debug_cleartext_payload: '' }),
    withPayload({ debug_cleartext_payload: 'AAE=' }),
    withSharedInfo({ debug_mode: 'enabled', source_registration_time: '1795392000' }),
    withSharedInfo({ api: 'attribution-reporting-debug' }),
  ],
  bad: [
    null,
    ...Object.keys(aggregatable).map((name) => without(aggregatable, name)),
    ...Object.keys(aggregatable).map((name) => ({ ...aggregatable, [name]: null })),
    { ...aggregatable, unknown: 1 },
    { ...aggregatable, aggregation_coordinator_origin: 'https://keys.example/' },
    { ...aggregatable, aggregation_service_payloads: [] },
    { ...aggregatable, aggregation_service_payloads: [payload, payload] },
    withPayload({ payload: 'AA' }),
    withPayload({ payload: 'A===' }),
    withPayload({ payload: '-_==' }),
    withPayload({ key_id: 1 }),
    withPayload({ unknown: 1 }),
  ],
  // Validators take the schema of a text's content for a remark.
  badForParserOnly: [
    { ...aggregatable, shared_info: '{' },
    { ...aggregatable, shared_info: '[]' },
    withSharedInfo({ api: 'shared-storage' }),
    withSharedInfo({ version: '2.0' }),
    withSharedInfo({ report_id: 'a' }),
    withSharedInfo({ debug_mode: 'disabled' }),
    withSharedInfo({ attribution_destination: ['https://a.example', 'https://b.example'] }),
    withSharedInfo({ reporting_origin: 'https://ads.example/path' }),
    withSharedInfo({ scheduled_report_time: 1795392000 }),
    withSharedInfo({ unknown: 1 }),
  ],
};

const servedKey = { id: 'a', key: Buffer.alloc(32, 7).toString('base64') };

const keyLists: Corpus = {
  good: [{ keys: [servedKey] }, { keys: [servedKey, { ...servedKey, id: 'b' }] }],
  bad: [
    { keys: [] },
    { keys: [without(servedKey, 'id')] },
    { keys: [{ ...servedKey, key: Buffer.alloc(30).toString('base64') }] },
    { keys: [{ ...servedKey, private_key: servedKey.key }] },
  ],
  badForParserOnly: [{ keys: [{ ...servedKey, key: Buffer.alloc(33).toString('base64') }] }],
};

let app: FastifyInstance;
let origin: string;
let published: JsonObject;

beforeAll(async () => {
  // Only a demo's collector, which knows the truth, publishes it.
  app = await temporaryCollector({ truth: () => Promise.resolve([]) });
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
  published = (await (await fetch(`${origin}/openapi.json`)).json()) as JsonObject;
});

afterAll(() => app.close());

/** What the OpenAPI document has at a path of names. */
const publishedAt = (...names: readonly string[]): JsonObject =>
  names.reduce<JsonObject>((object, name) => {
    const found = object[name] ?? null;
    if (!isJsonObject(found)) throw new Error(`the OpenAPI document has no ${names.join(' ')}`);
    return found;
  }, published);

const bodyOf = (path: string, type = 'application/json'): JsonObject =>
  publishedAt('paths', path, 'post', 'requestBody', 'content', type, 'schema');

const validator = (schema: JsonObject): ValidateFunction =>
  addFormats(new Ajv({ strict: true, strictRequired: false })).compile(schema);

/** Whether a parser takes a document without a word. */
const takes =
  (parser: Parser<unknown>) =>
  (document: Json): boolean =>
    strictly(parse(document, parser)).value !== null;

function describeFormat(
  name: string,
  schema: () => JsonObject,
  parser: Parser<unknown>,
  corpus: Corpus,
): void {
  test.each([name])('%s: parser and schema take the same documents', () => {
    const isValid = validator(schema());
    const isTaken = takes(parser);
    const verdicts = (documents: readonly Json[]): readonly unknown[] =>
      documents.map((document) => ({ document, taken: isTaken(document), valid: isValid(document) }));
    const expected = (documents: readonly Json[], taken: boolean, valid: boolean): readonly unknown[] =>
      documents.map((document) => ({ document, taken, valid }));
    const { good, bad, badForParserOnly } = corpus;
    expect(verdicts(good)).toEqual(expected(good, true, true));
    expect(verdicts(bad)).toEqual(expected(bad, false, false));
    expect(verdicts(badForParserOnly)).toEqual(expected(badForParserOnly, false, true));
  });
}

function describeCodec<T>(name: string, schema: () => JsonObject, codec: Codec<T>, corpus: Corpus): void {
  describeFormat(name, schema, codec, corpus);

  test.each([name])('%s: what is written is valid, and read as what it was', () => {
    const isValid = validator(schema());
    const read = (document: Json): T | null => parse(document, codec).value;
    const values = corpus.good.map(read).filter((value) => value !== null);
    const written = values.map(codec.write);
    expect(values).toHaveLength(corpus.good.length);
    expect(written.filter((document) => !isValid(document))).toEqual([]);
    expect(written.map(read)).toEqual(values);
  });
}

const reportsAt = (kind: ReportKind) => (): JsonObject => bodyOf(reportPaths[kind]);

describeCodec('event-level report', reportsAt('event-level'), eventLevelReport, eventLevel);
describeCodec('copy for debugging', reportsAt('event-level-debug'), eventLevelReport, eventLevel);
describeCodec('verbose debug report', reportsAt('verbose-debug'), verboseReport, verbose);
describeCodec('aggregatable report', reportsAt('aggregatable'), aggregatableReport, aggregatables);
describeCodec('sealed payloads', () => sealedPayloads.schema, sealedPayloads, {
  good: [aggregatable.aggregation_service_payloads],
  bad: [null, payload, []],
  badForParserOnly: [],
});
describeCodec('public keys', () => publicKeys.schema, publicKeys, keyLists);
describeCodec('line of /reports', () => collectedReport.schema, collectedReport, lines);
describeCodec('mechanism', () => mechanism.schema, mechanism, mechanisms);

const answerOf = (path: string) => (): JsonObject =>
  publishedAt('paths', path, 'get', 'responses', '200', 'content', 'application/json', 'schema');

describeCodec('estimates', answerOf('/estimates'), estimateResult, estimates);
describeCodec('/counts', answerOf('/counts'), counts, countsCorpus);
describeCodec('/summaries', answerOf('/summaries'), summary, postedCorpus(slice));
describeCodec('/histograms', answerOf('/histograms'), summary, postedCorpus(slice));
describeCodec('/reach', answerOf('/reach'), reach, postedCorpus(reached));
describeCodec('/truth', answerOf('/truth'), truth, truthCorpus);
describeCodec('/statistics', answerOf('/statistics'), statistics, statisticsCorpus);
describeCodec('/dimensions', answerOf('/dimensions'), dimensions, dimensionsCorpus);

test.each([
  ['/counts', counts],
  ['/summaries', summary],
  ['/histograms', summary],
  ['/reach', reach],
  ['/truth', truth],
  ['/statistics', statistics],
  ['/dimensions', dimensions],
])('%s answers as published', async (path, parser) => {
  const answer = (await (await fetch(origin + path)).json()) as Json;
  expect(takes(parser)(answer)).toBe(true);
});

const linesTo = (path: string) => (): JsonObject => bodyOf(path, 'application/x-ndjson');

/** For parsers whose null means that a valid row is not shown. */
const evenHidden =
  <Row>(parser: Parser<Row>): Parser<{ readonly shown: Row }> =>
  (place) => ({ shown: parser(place) });

describeFormat('line to /summaries', linesTo('/summaries'), evenHidden(sliceLine), sliceRows);
describeFormat('line to /histograms', linesTo('/histograms'), evenHidden(sliceLine), sliceRows);
describeFormat('line to /reach', linesTo('/reach'), evenHidden(reachLine), reachRows);
describeFormat('source log', linesTo('/sources'), loggedSource(new Map()), rows);

test('shared info is written in the order of Chromium', () => {
  const { text } = sharedInfoText({
    version: '1.0',
    sourceRegistrationTime: moment(86_400_000),
    scheduledTime: moment(1_795_392_000_999),
    reportingOrigin: 'https://ads.example',
    reportId: report.report_id,
    debugMode: 'enabled',
    destination: 'https://shop.example',
    api: 'attribution-reporting',
  });
  expect(text).toBe(
    `{"api":"attribution-reporting","attribution_destination":"https://shop.example","debug_mode":"enabled","report_id":"${report.report_id}","reporting_origin":"https://ads.example","scheduled_report_time":"1795392000","source_registration_time":"86400","version":"1.0"}`,
  );
});

test.each(eventLevel.good.filter(isJsonObject))(
  'a report in a table of texts is read back: %j',
  (payload) => {
    const line = { report_time: '1', report_url: 'https://ad.example/report-event-attribution', payload };
    const row = Object.entries(tableRow(line)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    expect(collectedLine(Object.fromEntries(row) as JsonObject)).toMatchObject(payload);
  },
);

type Same<A, B> = [A, B] extends [B, A] ? true : false;

test('the kit knows the fields of a report', () => {
  const isSame: Same<keyof EventLevelReportBody, EventLevelField> = true; // checked by the compiler
  expect(isSame).toBe(true);
});
