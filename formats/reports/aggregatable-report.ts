import type { Moment } from '../../src/model/units';
import { readJsonText } from '../codec/json-text';
import { base64 } from '../codec/base64';
import { choice, list, string, uint64, uuid, codec, type Codec } from '../codec/codec';
import { optional, record, required, type FieldsOf, type RecordCodec } from '../codec/record';
import { epochSeconds } from '../codec/time';
import { exactOrigin, site } from './sites';

/** The API of a batch: reports of attributions, or aggregatable debug reports. */
export type AggregatableApi = 'attribution-reporting' | 'attribution-reporting-debug';

/** The part of an aggregatable report that is not encrypted (ARA, "obtaining an aggregatable report's shared info"). */
export interface SharedInfo {
  readonly api: AggregatableApi;
  /** ARA, "effective attribution destination". */
  readonly destination: string;
  /** Null: disabled. */
  readonly debugMode: 'enabled' | null;
  readonly reportId: string;
  readonly reportingOrigin: string;
  readonly scheduledTime: Moment;
  /** The beginning of a day; null: left out. */
  readonly sourceRegistrationTime: Moment | null;
  /** Chrome sent 0.1 until contributions had filtering ids. Ours are 1.0. */
  readonly version: '0.1' | '1.0';
}

const sharedInfo: RecordCodec<SharedInfo> = record<SharedInfo>({
  api: required('api', choice<AggregatableApi>('attribution-reporting', 'attribution-reporting-debug')),
  destination: required('attribution_destination', site),
  debugMode: optional('debug_mode', choice('enabled')),
  reportId: required('report_id', uuid),
  reportingOrigin: required('reporting_origin', exactOrigin),
  scheduledTime: required('scheduled_report_time', epochSeconds),
  sourceRegistrationTime: optional('source_registration_time', epochSeconds),
  version: required('version', choice('0.1', '1.0')),
});

/**
 * Shared info with its exact text. The encryption of the payload authenticates the text, so other text of the same JSON does not open it.
 */
export interface SharedInfoText {
  readonly text: string;
  readonly info: SharedInfo;
}

export const sharedInfoText = (info: SharedInfo): SharedInfoText => ({
  text: JSON.stringify(sharedInfo.write(info)),
  info,
});

const sharedInfoInText: Codec<SharedInfoText> = codec(
  (place) => {
    const written = string(place);
    const { value, problem } = readJsonText(written);
    if (problem !== null) place.error('not-json', { problem });
    return { text: written, info: sharedInfo(place.with(problem === null ? value : {})) };
  },
  (value) => value.text,
  { type: 'string', contentMediaType: 'application/json', contentSchema: sharedInfo.schema },
);

/** A payload that only the holder of a private key can read. */
export interface SealedPayload {
  /** Names the public key. */
  readonly keyId: string;
  readonly sealed: Uint8Array;
  /** The same payload unencrypted, in debug mode. */
  readonly cleartext: Uint8Array | null;
}

const listOfOne = list(
  record<SealedPayload>({
    cleartext: optional('debug_cleartext_payload', base64),
    keyId: required('key_id', string),
    sealed: required('payload', base64),
  }),
  { min: 1, max: 1 },
);

/** A list of one payload, because there is one aggregation service (ARA, "obtain the aggregation service payloads"). */
export const sealedPayloads: Codec<SealedPayload> = codec(
  (place) => listOfOne(place)[0] ?? { keyId: '', sealed: new Uint8Array(), cleartext: null },
  (payload) => listOfOne.write([payload]),
  listOfOne.schema,
);

/** ARA, "serialize an aggregatable attribution report". */
export interface AggregatableBody {
  readonly coordinatorOrigin: string;
  readonly payload: SealedPayload;
  readonly sharedInfo: SharedInfoText;
  readonly sourceDebugKey: bigint | null;
  readonly triggerContextId: string | null;
  readonly triggerDebugKey: bigint | null;
}

export const aggregatableFields: FieldsOf<AggregatableBody> = {
  coordinatorOrigin: required('aggregation_coordinator_origin', exactOrigin),
  payload: required('aggregation_service_payloads', sealedPayloads),
  sharedInfo: required('shared_info', sharedInfoInText),
  sourceDebugKey: optional('source_debug_key', uint64),
  triggerContextId: optional('trigger_context_id', string),
  triggerDebugKey: optional('trigger_debug_key', uint64),
};

export const aggregatableReport: RecordCodec<AggregatableBody> = record(aggregatableFields);
