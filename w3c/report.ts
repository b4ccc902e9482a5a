import type { RandomSource } from '../src/privacy/random-source';
import { Rational } from '../src/privacy/rational';
import { choice, integer, string, uuid, type Parser } from '../formats/codec/codec';
import { base64 } from '../formats/codec/base64';
import type { Json } from '../src/model/json';
import { readJsonText } from '../formats/codec/json-text';
import { Fields, record, required } from '../formats/codec/record';
import { parse, type Parsed } from '../formats/codec/issues';
import type { PublicKey, SealPayload } from '../formats/reports/sealed-payload';
import { MAX_UINT32 } from '../src/model/registration';
import { roundedUp } from './budgets';
import { callerOf, type Call } from './matching';
import type { ConversionOptions } from './options';
import { PROTOCOL } from './service';

/*
 * A conversion report for the local aggregation service. The draft's report needs two servers that do not share what they know, and a proof
 * that a histogram is valid (Prio with DAP). Here, one service has a key, and the histogram is sealed for it. The context is the same.
 */

/** What everybody can read of a report, and nobody can change. */
export interface ReportContext {
  readonly reportId: string;
  /** In seconds since 1970, rounded down to five. */
  readonly time: number;
  /** The site that may ask for sums. */
  readonly collector: string;
  /** The site whose budget paid. */
  readonly budgetSource: string;
  readonly length: number;
  readonly maxValue: number;
  /** The ε that the conversion was charged, in millionths. */
  readonly microepsilons: number;
}

export interface SealedReport {
  readonly context: ReportContext;
  /** The context as it was sealed. */
  readonly contextText: string;
  readonly keyId: string;
  readonly sealed: Uint8Array;
}

const TIME_PRECISION = 5;
const BYTES = 4;
const MICROEPSILONS = Rational.of(1_000_000n);

const context = record<ReportContext>(
  {
    reportId: required('report_id', uuid),
    time: required('time', integer(0)),
    collector: required('collector_identity', string),
    budgetSource: required('budget_source', string),
    length: required('length', integer(1, MAX_UINT32)),
    maxValue: required('max_value', integer(1, MAX_UINT32)),
    microepsilons: required('privacy_budget', integer(1, MAX_UINT32)),
  },
  { unknown: 'ignored' },
);

/**
 * The bytes that a page gets.
 * @param random must be unpredictable, or the histogram can be read.
 */
export async function sealReport(
  histogram: readonly number[],
  call: Call,
  { epsilon, histogramSize, maxValue }: ConversionOptions,
  key: PublicKey,
  seal: SealPayload,
  random: RandomSource,
): Promise<Uint8Array> {
  const text = JSON.stringify({
    protocol: PROTOCOL,
    ...(context.write({
      reportId: reportId(random),
      time: Math.floor(call.time / 1000 / TIME_PRECISION) * TIME_PRECISION,
      collector: callerOf(call),
      budgetSource: call.topLevelSite,
      length: histogramSize,
      maxValue,
      microepsilons: roundedUp(epsilon.times(MICROEPSILONS)),
    }) as object),
  });
  const payload = base64.write(await seal(payloadOf(histogram), text, key, random));
  return new TextEncoder().encode(JSON.stringify({ context: text, key_id: key.id, payload }));
}

/** Version 4 of RFC 9562. */
function reportId(random: RandomSource): string {
  const [high, low] = [random.uint64(), random.uint64()].map((word) => word.toString(16).padStart(16, '0'));
  const digits = `${high}${low}`;
  const variant = '89ab'[parseInt(digits.charAt(16), 16) % 4] ?? '8';
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** Each bucket in four bytes, the greatest first. */
function payloadOf(histogram: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(BYTES * histogram.length));
  histogram.forEach((value, index) => view.setUint32(BYTES * index, value));
  return new Uint8Array(view.buffer);
}

/** The histogram that was sealed; null if it has another length, or sums to more than one conversion may. */
export function histogramIn(
  payload: Uint8Array,
  { length, maxValue }: ReportContext,
): readonly number[] | null {
  if (payload.length !== BYTES * length) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const histogram = Array.from({ length }, (_, index) => view.getUint32(BYTES * index));
  return histogram.reduce((sum, value) => sum + value, 0) > maxValue ? null : histogram;
}

/** Reads what a page got. Anybody can make such a report. */
export const readReport = (document: Json): Parsed<SealedReport> => parse(document, sealedReport);

const sealedReport: Parser<SealedReport> = (place) => {
  const fields = new Fields(place);
  const contextText = fields.required('context', string, '');
  const parsed = fields.required('context', contextIn, null);
  const report = {
    contextText,
    keyId: fields.required('key_id', string, ''),
    sealed: fields.required('payload', base64, new Uint8Array()),
  };
  // Null only after a mistake.
  return { ...report, context: parsed as ReportContext };
};

const contextIn: Parser<ReportContext | null> = (place) => {
  const json = jsonIn(place.value);
  if (json === undefined) {
    place.expected('object');
    return null;
  }
  const inside = place.with(json);
  new Fields(inside).required('protocol', choice(PROTOCOL), PROTOCOL);
  return context(inside);
};

function jsonIn(text: Json): Json | undefined {
  if (typeof text !== 'string') return undefined;
  const { value, problem } = readJsonText(text);
  return problem === null ? value : undefined;
}
