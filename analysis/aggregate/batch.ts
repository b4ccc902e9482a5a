import { hours } from '../../src/model/units';
import type { AggregatableContribution } from '../../src/model/aggregatable';
import { decodePayload } from '../../formats/reports/aggregatable-payload';
import type {
  AggregatableBody,
  SharedInfo,
  AggregatableApi,
} from '../../formats/reports/aggregatable-report';
import type { OpenPayload } from '../../formats/reports/sealed-payload';

/** Why a report is not counted. */
export type Rejection =
  /** Another report with this id came earlier. */
  | 'duplicate'
  | 'other-api'
  | 'other-origin'
  /** Sealed for a key that is not among ours. */
  | 'unknown-key'
  /** Changed, or not sealed for the key that it names. */
  | 'not-opened'
  /** What was sealed is no payload, or is over the contribution budget. */
  | 'invalid-payload'
  /** Without the unencrypted copy that debug mode adds. */
  | 'no-cleartext';

/** Opens a report's payload. */
export type ReadPayload = (
  payload: AggregatableBody['payload'],
  sharedInfo: string,
) => Promise<Uint8Array | Rejection>;

export interface BatchOptions {
  /** Reports of attributions and aggregatable debug reports use the same buckets for different things. */
  readonly api: AggregatableApi;
  /** Null: that of the first report. */
  readonly reportingOrigin: string | null;
  /** Only contributions with one of these count. */
  readonly filteringIds: readonly bigint[];
  readonly read: ReadPayload;
}

/** With private keys by their id. */
export const unsealed =
  (privateKeys: ReadonlyMap<string, Uint8Array>, open: OpenPayload): ReadPayload =>
  async ({ keyId, sealed }, sharedInfo) => {
    const key = privateKeys.get(keyId);
    if (key === undefined) return 'unknown-key';
    return (await open(sealed, sharedInfo, key)) ?? 'not-opened';
  };

/** The copy of debug mode, which nobody sealed and anybody can have written. */
export const inClear: ReadPayload = ({ cleartext }) => Promise.resolve(cleartext ?? 'no-cleartext');

/** The reports that are aggregated together, which are those of one API and one reporting origin. */
export class Batch {
  private readonly reportIds = new Set<string>();
  private origin: string | null;
  /** The sum of each bucket with contributions. */
  readonly sums = new Map<bigint, bigint>();
  /** For a ledger: all reports with a shared id must be in one batch. */
  readonly sharedIds = new Set<string>();
  readonly rejected = new Map<Rejection, number>();
  accepted = 0;

  constructor(private readonly options: BatchOptions) {
    this.origin = options.reportingOrigin;
  }

  /** The reporting origin of all its reports; null while it has none. */
  get reportingOrigin(): string | null {
    return this.origin;
  }

  /** Adds a report's contributions, or returns why it does not count. */
  async add({ sharedInfo: { text, info }, payload }: AggregatableBody): Promise<Rejection | null> {
    const contributions = this.foreign(info) ?? (await this.contributions(text, payload));
    if (typeof contributions === 'string') {
      this.rejected.set(contributions, (this.rejected.get(contributions) ?? 0) + 1);
      return contributions;
    }
    this.origin = info.reportingOrigin;
    this.reportIds.add(info.reportId);
    this.accepted += 1;
    for (const id of this.options.filteringIds) this.sharedIds.add(sharedId(info, id));
    for (const { key, value, filteringId } of contributions)
      if (value > 0 && this.options.filteringIds.includes(filteringId))
        this.sums.set(key, (this.sums.get(key) ?? 0n) + BigInt(value));
    return null;
  }

  private foreign({ api, reportId, reportingOrigin }: SharedInfo): Rejection | null {
    if (api !== this.options.api) return 'other-api';
    if (this.origin !== null && reportingOrigin !== this.origin) return 'other-origin';
    return this.reportIds.has(reportId) ? 'duplicate' : null;
  }

  private async contributions(
    sharedInfo: string,
    sealed: AggregatableBody['payload'],
  ): Promise<Rejection | readonly AggregatableContribution[]> {
    const payload = await this.options.read(sealed, sharedInfo);
    if (typeof payload === 'string') return payload;
    return decodePayload(payload, this.options.api).value ?? 'invalid-payload';
  }
}

const HOUR = hours(1);

/**
 * What reports have in common that must be aggregated together: the fields that the Privacy Sandbox's aggregation service hashes, and the
 * hour in which they were scheduled.
 */
const sharedId = (info: SharedInfo, filteringId: bigint): string =>
  [
    info.api,
    info.version,
    info.reportingOrigin,
    info.destination,
    info.sourceRegistrationTime === null ? '' : String(info.sourceRegistrationTime / 1000),
    String(Math.floor(info.scheduledTime / HOUR)),
    String(filteringId),
  ].join(',');
