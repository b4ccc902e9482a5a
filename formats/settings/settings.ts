import type { AggregationKey } from '../../src/model/aggregatable';
import { defaultMeasurement, type MeasurementSettings } from '../../src/model/mechanisms';
import type { DeliveryProfile } from '../../src/reports/next-step';
import type { LiftTestSettings } from '../../recording/lift-test';
import type { RecordingRule } from '../../recording/recording-rule';

/** Set by the person or by their trial. Kept in the store; every field has a default. */
export interface Settings extends MeasurementSettings {
  /** While true, nothing is recorded. Reports of earlier records are still sent. */
  readonly paused: boolean;
  /** Sites (`https://shop.example`) on which nothing is recorded. */
  readonly pausedSites: readonly string[];
  /** The origin that receives every report; null: each goes to its reporting origin. */
  readonly collector: string | null;
  /**
   * The only public keys for which aggregatable reports are sealed, the same for everybody. Without any, the extension asks the collector
   * for keys, and the collector could give each person another.
   */
  readonly aggregationKeys: readonly AggregationKey[];
  /** See docs/contracts.md, "Delivery". */
  readonly deliveryProfile: DeliveryProfile;
  readonly rules: readonly RecordingRule[];
  /** Whether pages get `navigator.attribution` (docs/w3c.md). */
  readonly w3cAttribution: boolean;
  /** The campaigns whose arms this device draws (docs/lift.md). Null: none. */
  readonly liftTest: LiftTestSettings | null;
  readonly debug: DebugSettings;
}

/** In force only while `enabled`; see `effectiveDebug`. */
export interface DebugSettings {
  readonly enabled: boolean;
  /** False: every source reports truthfully. */
  readonly noise: boolean;
  /** False: reports are sent at once instead of when the window ends. */
  readonly delay: boolean;
  /** If not null, all randomness comes from this seed and can be repeated. */
  readonly seed: string | null;
  /** Replaces the third-party cookie access that ARA requires for debug reports. */
  readonly debugReports: boolean;
  /** Whether `attributionsrc` of any page reaches this device and private networks, as names of a staging host lead there. */
  readonly privateNetworks: boolean;
}

/** The settings of a new installation. */
export const defaultSettings: Settings = {
  paused: false,
  pausedSites: [],
  collector: null,
  aggregationKeys: [],
  deliveryProfile: 'lossless',
  rules: [],
  w3cAttribution: false,
  liftTest: null,
  ...defaultMeasurement,
  debug: {
    enabled: false,
    noise: true,
    delay: true,
    seed: null,
    debugReports: false,
    privateNetworks: false,
  },
};

/** The debug switches in force: as in production unless debug mode is on. */
export function effectiveDebug(settings: Settings): DebugSettings {
  return settings.debug.enabled ? settings.debug : defaultSettings.debug;
}
