import path from 'node:path';
import { accept, readJson } from '../../../cli/io/input';
import { chromiumLimits } from '../../../src/model/limits';
import type { LogEntry } from '../../../src/model/decision';
import { defaultSettings } from '../../../formats/settings/settings';
import { seededRandomSource } from '../../../analysis/random/sources';
import { parseScenario } from '../../../analysis/scenario/scenario';
import { replay } from '../../../analysis/scenario/replay';
import type { Snapshot } from '../../../extension/pages/data/snapshot/snapshot';
import { MemoryStore } from '../../../analysis/store/memory-store';

const folder = path.resolve(__dirname, '../../conformance/cases');

/** The store's content after a scenario. */
export async function snapshotOf(name: string): Promise<Snapshot> {
  const file = path.join(folder, `${name}.json`);
  const store = new MemoryStore();
  await replay(accept(file, parseScenario(readJson(file), chromiumLimits)), {
    noise: false,
    random: (stream) => seededRandomSource('why', stream),
    store,
  });
  return store.read(async (tx) => ({
    time: 0,
    clockAhead: 0,
    truth: true,
    settings: defaultSettings,
    tables: {
      sources: await tx.table('sources').latest(Infinity),
      reports: await tx.table('reports').latest(Infinity),
      finished: await tx.table('finished').latest(Infinity),
      spends: await tx.table('spends').latest(Infinity),
      log: await tx.table('log').latest(Infinity),
    },
  }));
}

/** Each scenario, what of it came to nothing first, and the check that must be marked. */
export const causes: readonly (readonly [scenario: string, check: string, table: 'triggers' | 'refused'])[] =
  [
    // Conversions.
    ['reporting-origin-must-match-exactly', 'matching-source', 'triggers'],
    ['scopes-none-matches', 'matching-source', 'triggers'],
    ['filters-every-key-must-match', 'filters', 'triggers'],
    ['not-filters-no-value-in-common', 'filters', 'triggers'],
    ['filters-lookback-window-and-value-must-both-hold', 'filters', 'triggers'],
    ['noised-with-reports', 'source-not-noised', 'triggers'],
    ['event-trigger-data-none-matches', 'event-trigger-data-filters', 'triggers'],
    ['event-trigger-data-empty', 'event-trigger-data', 'triggers'],
    ['dedup-before-sending', 'deduplication-key', 'triggers'],
    ['trigger-data-exact-custom', 'trigger-data', 'triggers'],
    ['trigger-data-empty-set', 'trigger-data', 'triggers'],
    ['windows-start-time', 'report-window-started', 'triggers'],
    ['windows-passed-after-the-last-end', 'report-window-open', 'triggers'],
    ['max-event-level-reports-zero', 'reports-of-source', 'triggers'],
    ['replacement-not-by-lower-priority', 'priority-over-report', 'triggers'],
    ['limit-attributions', 'attributions-per-pair', 'triggers'],
    ['limit-attribution-reporting-origins', 'attributing-origins', 'triggers'],
    ['limit-reports-per-destination', 'pending-reports', 'triggers'],
    ['noised-without-reports', 'source-not-noised-to-nothing', 'triggers'],
    ['flexible-maximum-reached-by-a-final-report', 'reports-of-source', 'triggers'],
    ['flexible-maximum-of-lower-priority', 'priority-over-conversions', 'triggers'],
    // Sources.
    ['trigger-state-cardinality', 'trigger-state-cardinality', 'refused'],
    ['channel-capacity-navigation', 'channel-capacity', 'refused'],
    ['scopes-max-event-states-limit', 'event-states', 'refused'],
    ['scopes-channel-capacity-event', 'scopes-channel-capacity', 'refused'],
    ['limit-sources-per-origin', 'sources-of-origin', 'refused'],
    ['limit-reporting-origins-per-site', 'origins-per-site', 'refused'],
    ['limit-destinations-per-minute', 'destinations-per-minute', 'refused'],
    ['limit-destinations-per-day', 'destinations-per-day', 'refused'],
    ['limit-destinations-priority-refuses-the-new', 'unexpired-destinations', 'refused'],
    ['limit-destinations-per-minute-of-all-is-hidden', 'destinations-of-all', 'refused'],
    ['limit-source-reporting-origins-is-hidden', 'origins-per-destination', 'refused'],
  ];

/** The first entry of a log that came to nothing. */
export const firstDropped = (log: readonly LogEntry[], table: 'triggers' | 'refused'): LogEntry | undefined =>
  [...log]
    .sort((a, b) => a.id - b.id)
    .find((entry) =>
      table === 'triggers'
        ? entry.kind === 'trigger' && entry.decision.kind === 'dropped'
        : entry.kind === 'source' && entry.decision.kind === 'rejected',
    );
