import { createHash } from 'node:crypto';
import { Batch, type BatchOptions, type Rejection } from '../../analysis/aggregate/batch';
import { bucket } from '../../analysis/aggregate/summary';
import { collectedLine } from '../../analysis/estimate/join/collected-line';
import { isJsonObject, type Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { aggregatableFields, type AggregatableBody } from '../../formats/reports/aggregatable-report';
import { record } from '../../formats/codec/record';
import { kindOfLine } from '../../formats/reports/report-line';
import { accept, InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { readingProgress, showProgress } from '../io/progress';
import { eachRow } from '../io/rows';
import { say } from '../io/terminal';

/** A report with or without the fields that a collector adds. */
const reportInLine = record<AggregatableBody>(aggregatableFields, { unknown: 'ignored' });

export interface ReadBatch {
  readonly batch: Batch;
  /** The accepted reports, in any order. */
  readonly digest: string;
}

/** Reasons that mean a mistake, perhaps the wrong file of keys. */
const ERRORS: readonly Rejection[] = ['unknown-key', 'not-opened', 'invalid-payload', 'no-cleartext'];

/**
 * Reads the reports, and prints on standard error which were left out.
 * @param errorThreshold the share of reports that may be unreadable.
 * @throws InputError
 */
export async function readBatch(
  files: readonly string[],
  options: BatchOptions,
  errorThreshold: number,
): Promise<ReadBatch> {
  const input = new InputFiles(files);
  const batch = new Batch(options);
  let digest = 0n;
  let others = 0;
  const read = readingProgress([input]);
  const stopShowing = showProgress(() => `reports${read()}`);
  try {
    for await (const { place, value } of eachRow(input)) {
      const line = batchLine(value) ?? collectedLine(value);
      const kind = kindOfLine(line);
      // A debug copy would count its report again.
      if (kind !== 'aggregatable' && kind !== 'aggregate-debug') {
        others += 1;
        continue;
      }
      const body = accept(place, parse(line, reportInLine));
      const rejection = await batch.add(body);
      if (rejection === null) digest = (digest + digestOf(body)) % 2n ** 256n;
      if (rejection === 'other-origin' && options.reportingOrigin === null)
        throw new InputError(
          `${place}: shared_info.reporting_origin must be "${batch.reportingOrigin ?? ''}" as in the reports before it, was "${body.sharedInfo.info.reportingOrigin}"; choose one with --reporting-origin`,
        );
    }
  } finally {
    stopShowing();
  }
  tellCounts(batch);
  const errors = ERRORS.reduce((sum, reason) => sum + (batch.rejected.get(reason) ?? 0), 0);
  if (errors > errorThreshold * (errors + batch.accepted))
    throw new InputError(
      `aggregate: ${errors} of ${errors + batch.accepted} reports cannot be counted, and --error-threshold allows ${100 * errorThreshold} %`,
    );
  if (batch.accepted === 0)
    throw new InputError(
      `aggregate: --reports: must have an aggregatable report to count, has none, and ${others} of other kinds`,
    );
  return { batch, digest: digest.toString(16) };
}

/**
 * A row of an Avro batch of the Privacy Sandbox's aggregation service as a report: the payload, the id of its key, and the shared info. In batches
 * for its local testing tool, payloads are not sealed.
 */
function batchLine(value: Json): Json | null {
  if (!isJsonObject(value) || typeof value['payload'] !== 'string' || !('key_id' in value)) return null;
  const { payload, key_id: keyId = null, shared_info: sharedInfo = null } = value;
  if (!/^0x(?:[\da-f]{2})*$/.test(payload)) return null;
  const bytes = Buffer.from(payload.slice(2), 'hex').toString('base64');
  return {
    aggregation_coordinator_origin: 'https://batch.invalid',
    aggregation_service_payloads: [{ key_id: keyId, payload: bytes, debug_cleartext_payload: bytes }],
    shared_info: sharedInfo,
  };
}

const digestOf = ({ sharedInfo, payload }: AggregatableBody): bigint =>
  BigInt(`0x${createHash('sha256').update(sharedInfo.text).update(payload.sealed).digest('hex')}`);

function tellCounts({ accepted, rejected }: Batch): void {
  const left = [...rejected].map(([reason, count]) => `${count} ${reason}`).join(', ');
  say(`${accepted} reports counted${left === '' ? '' : `; left out: ${left}`}`);
}

/** The expected buckets. @throws InputError */
export async function readBuckets(file: string): Promise<ReadonlySet<bigint>> {
  const buckets = new Set<bigint>();
  for await (const { place, cells } of eachRow(new InputFiles([file]), { wanted: ['bucket'] }))
    buckets.add(accept(`${place}: bucket`, parse(cells('bucket'), bucket)));
  return buckets;
}
