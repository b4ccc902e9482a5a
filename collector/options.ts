import type { TokenOptions } from './intake/token-keys';
import type { Truth } from './store/true-counts';
import type { PublicKey } from '../formats/reports/sealed-payload';

export interface CollectorOptions {
  /** A folder for the database, `memory://`, or `postgres://…`. */
  readonly store: string;
  /** Required for everything except sending reports; null when only this machine has access. */
  readonly token?: string | null;
  /** Allows `POST /sources` and nothing else. */
  readonly sourceLogToken?: string | null;
  /** Logs to standard error, one JSON object per line. Default: off. */
  readonly logger?: boolean;
  /** The most requests per minute and client. */
  readonly rateLimit?: number;
  /** Whether verbose debug reports and debug copies are taken. Default: no. */
  readonly debugReports?: boolean;
  /** Whether clocks are turned forward: estimates follow them, and reports may have any future time. Default: no. */
  readonly rehearsal?: boolean;
  /** The most bytes of reports that one client may store in a day. */
  readonly clientBudget?: number;
  /** The most bytes that the store may take up before it takes no more reports. */
  readonly storeLimit?: number;
  /** The public keys that aggregatable reports are sealed for. They are served to browsers. */
  readonly aggregationKeys?: readonly PublicKey[];
  /** The tokens that reports spend (docs/tokens.md). Default: none are asked for. */
  readonly tokens?: TokenOptions;
  /** What happened, for a demo; the dashboard shows it beside the estimates. */
  readonly truth?: Truth;
  /** The proxies trusted to state the client's address and the requested host. */
  readonly trustProxy?: string;
}
