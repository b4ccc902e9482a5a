import { generateKeyPairSync } from 'node:crypto';
import { inTheClear } from '../../analysis/scenario/payload';
import { isJsonObject, type Json } from '../../src/model/json';
import type { AggregationKey } from '../../src/model/aggregatable';
import { parse } from '../../formats/codec/issues';
import { decodePayload } from '../../formats/reports/aggregatable-payload';
import { aggregatableReport } from '../../formats/reports/aggregatable-report';
import { openPayload } from '../../formats/reports/seal-in-browser';
import { PUBLIC_KEYS_PATH, publicKeys } from '../../formats/reports/sealed-payload';
import { histogramIn, readReport } from '../../w3c/report';
import type { WebReply, WebRequest } from './own-web';

/**
 * The collector of replayed scenarios. The extension makes aggregatable reports only for a collector that serves a key; this one has the
 * private key, too, so that it can tell what they say.
 */
export class OwnCollector {
  /** No scenario's own. */
  readonly origin = 'https://collector.cointoss-replay.test';
  /** As a setting. */
  readonly key: AggregationKey;
  private readonly secret: Uint8Array;
  private readonly served: string;

  constructor() {
    const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
    this.secret = bytes(d);
    this.key = { id: 'replay', key: Buffer.from(bytes(x)).toString('base64') };
    this.served = JSON.stringify(publicKeys.write({ keys: [{ id: 'replay', key: bytes(x) }] }));
  }

  /** Its keys; null for any other request. */
  answer({ url }: WebRequest): WebReply | null {
    if (url !== this.origin + PUBLIC_KEYS_PATH) return null;
    return { headers: { 'Content-Type': 'application/json' }, body: this.served };
  }

  /**
   * The body of a report, as scenario files state it.
   * @throws Error when an aggregatable report cannot be opened.
   */
  async payloadOf(body: Json): Promise<Json> {
    if (!isJsonObject(body) || body['shared_info'] === undefined) return body;
    const { value } = parse(body, aggregatableReport);
    const opened =
      value === null ? null : await openPayload(value.payload.sealed, value.sharedInfo.text, this.secret);
    const contributions =
      opened === null || value === null ? null : decodePayload(opened, value.sharedInfo.info.api).value;
    if (contributions === null)
      throw new Error(`an aggregatable report that cannot be opened: ${JSON.stringify(body)}`);
    // The others only fill the payload up.
    return inTheClear(
      body,
      contributions.filter((contribution) => contribution.value > 0),
    );
  }

  /**
   * What a report of W3C Attribution holds.
   * @throws Error when it cannot be opened.
   */
  async histogramOf(report: string): Promise<readonly number[]> {
    const { value } = readReport(JSON.parse(report) as Json);
    const opened = value === null ? null : await openPayload(value.sealed, value.contextText, this.secret);
    const histogram = opened === null || value === null ? null : histogramIn(opened, value.context);
    if (histogram === null) throw new Error(`a report that cannot be opened: ${report}`);
    return histogram;
  }
}

const bytes = (part: string): Uint8Array => new Uint8Array(Buffer.from(part, 'base64url'));
