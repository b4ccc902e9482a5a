import type { Settings } from '../../../../formats/settings/settings';
import type { Rows } from '../../../../src/store/rows';

export const snapshotTables = ['sources', 'reports', 'finished', 'spends', 'log'] as const;
export type SnapshotTable = (typeof snapshotTables)[number];

/** Everything that was recorded, at one moment, for a bug report. What limits count is left out: the log says what they decided. */
export interface Snapshot {
  /** Cointoss's clock in ms. `clockAhead` is its distance from the device's clock, in ms. */
  readonly time: number;
  readonly clockAhead: number;
  /** Whether it holds what randomized response protects; see `withoutTruth`. */
  readonly truth: boolean;
  readonly settings: Settings;
  readonly tables: { readonly [Name in SnapshotTable]: readonly Rows[Name][] };
}

/** Reads all tables of a snapshot. */
export async function readTables(
  all: <Name extends SnapshotTable>(name: Name) => Promise<readonly Rows[Name][]>,
): Promise<Snapshot['tables']> {
  return {
    sources: await all('sources'),
    reports: await all('reports'),
    finished: await all('finished'),
    spends: await all('spends'),
    log: await all('log'),
  };
}

export const noTables: Snapshot['tables'] = {
  sources: [],
  reports: [],
  finished: [],
  spends: [],
  log: [],
};
