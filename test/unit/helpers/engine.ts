import type { JsonObject } from '../../../src/model/json';
import type { Conditions, RegistrationEntry } from '../../../src/engine';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import { chromiumLimits, type Limits, type SourceType } from '../../../src/model/limits';
import { defaultMeasurement, type MeasurementSettings } from '../../../src/model/mechanisms';
import type { Report } from '../../../src/model/records';
import { moment, type Moment, type Origin } from '../../../src/model/units';
import { Caches, type NoiseMode } from '../../../src/work';
import { seededRandomSource } from '../../../analysis/random/sources';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { tableNames } from '../../../src/store/rows';
import type { Store } from '../../../transactions/store';
import { DESTINATION } from './parsing';

export const NEWS = 'https://news.example' as Origin;
export const SHOP = DESTINATION as Origin;
export const ADTECH = 'https://adtech.example' as Origin;
export const START = moment(1_800_000_000_000);

export const conditions = (
  noise: NoiseMode = { kind: 'off' },
  measurement: Partial<MeasurementSettings> = {},
): Conditions => ({
  noise,
  measurement: { ...defaultMeasurement, ...measurement },
  delay: true,
  debugAllowed: true,
  debug: [],
});

interface Circumstances {
  readonly time?: Moment;
  readonly contextOrigin?: Origin;
  readonly reportingOrigin?: Origin;
}

export const sourceRegistration = (
  fields: JsonObject = {},
  sourceType: SourceType = 'navigation',
  { time = START, contextOrigin = NEWS, reportingOrigin = ADTECH }: Circumstances = {},
): Registration => ({
  occasion: { time, contextOrigin, reportingOrigin, via: 'header' },
  register: { kind: 'source', sourceType },
  header: JSON.stringify({ destination: DESTINATION, ...fields }),
  fenced: false,
  reportHeaderErrors: false,
});

export const triggerRegistration = (
  fields: JsonObject = { event_trigger_data: [{}] },
  { time = START, contextOrigin = SHOP, reportingOrigin = ADTECH }: Circumstances = {},
): Registration => ({
  occasion: { time, contextOrigin, reportingOrigin, via: 'header' },
  register: { kind: 'trigger' },
  header: JSON.stringify(fields),
  fenced: false,
  reportHeaderErrors: false,
});

/** Shared by engines, which would compute the same linear programmes and exact bounds each. */
export const caches = new Caches();

/** An engine with its own store and seeded randomness. */
export function newEngine({
  store = new MemoryStore(),
  limits = chromiumLimits,
  seed = 'test',
}: { store?: Store; limits?: Limits; seed?: string } = {}): { engine: StoredEngine; store: Store } {
  const engine = new StoredEngine({
    store,
    limits,
    random: (stream) => seededRandomSource(seed, stream),
    caches,
  });
  return { engine, store };
}

export const contents = (store: Store): Promise<Record<string, readonly unknown[]>> =>
  store.read(async (tx) => {
    const found: Record<string, readonly unknown[]> = {};
    for (const name of tableNames()) found[name] = await tx.table(name).latest(1_000_000);
    return found;
  });

export const pendingReports = (store: Store): Promise<Report[]> =>
  store.read((tx) => tx.table('reports').upTo('nextAttempt', Infinity));

/** The outcome of a trigger: `attributed`, or the reason why not. */
export function outcomeOf(entry: RegistrationEntry): string {
  if (!('decision' in entry)) return entry.kind;
  if ('overBudget' in entry.decision) return 'over budget';
  return 'reason' in entry.decision ? entry.decision.reason : entry.decision.kind;
}
