import { defaultMeasurement, type MeasurementSettings } from './mechanisms';
import type { RecordingRule } from './recording-rule';

/** What the person, or the trial they take part in, decided. Kept in the store; every field has a default. */
export interface Settings extends MeasurementSettings {
  /** Nothing is recorded anywhere while true. What was recorded before is still delivered. */
  readonly paused: boolean;
  /** Sites (`https://shop.example`) on which nothing is recorded. */
  readonly pausedSites: readonly string[];
  /** Collector mode: the origin that receives every report. Null: each report goes to its reporting origin. */
  readonly collector: string | null;
  /** See docs/design.md, "Delivery profiles". */
  readonly deliveryProfile: DeliveryProfile;
  readonly rules: readonly RecordingRule[];
  readonly debug: DebugSettings;
}

export type DeliveryProfile = 'lossless' | 'chrome';

/** Only in force while `enabled`; `effectiveDebug` gives what applies. */
export interface DebugSettings {
  readonly enabled: boolean;
  /** False switches randomized response off: every source reports truthfully. */
  readonly noise: boolean;
  /** False sends each report at once instead of when its window ends. */
  readonly delay: boolean;
  /** Not null: randomness comes from this seed, so that a run can be repeated. */
  readonly seed: string | null;
  /** Stands in for the third-party cookie access that ARA asks for before it sends debug reports. */
  readonly debugReports: boolean;
}

export const defaultSettings: Settings = {
  paused: false,
  pausedSites: [],
  collector: null,
  deliveryProfile: 'lossless',
  rules: [],
  ...defaultMeasurement,
  debug: { enabled: false, noise: true, delay: true, seed: null, debugReports: false },
};

/** The debug switches in force: everything as in production unless debug mode is on. */
export function effectiveDebug(settings: Settings): DebugSettings {
  return settings.debug.enabled ? settings.debug : defaultSettings.debug;
}
