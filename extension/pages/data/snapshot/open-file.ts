import { bufferedRandomSource } from '../../../../analysis/random/sources';
import { chromiumLimits } from '../../../../src/model/limits';
import { isJsonObject, type Json } from '../../../../src/model/json';
import type { Issue } from '../../../../formats/codec/mistakes';
import type { Rows, TableName } from '../../../../src/store/rows';
import { firstDifference, type Difference } from '../../../../analysis/scenario/compare';
import { replay } from '../../../../analysis/scenario/replay';
import { parseScenario, timesOf, type Scenario } from '../../../../analysis/scenario/scenario';
import { MemoryStore } from '../../../../analysis/store/memory-store';
import { readTables, type Snapshot } from './snapshot';
import { parseSnapshot } from './snapshot-json';

/** What the replay of a scenario sent. */
interface Replayed {
  readonly reports: number;
  /** Whether the file states reports to compare with. */
  readonly isCompared: boolean;
  readonly difference: Difference | null;
}

export interface OpenedFile {
  readonly snapshot: Snapshot;
  /** Null for a saved state. */
  readonly replayed: Replayed | null;
}

/**
 * Opens a saved state, or replays a scenario file as `cointoss replay` does: without noise, unless the file forces an output.
 * @returns the file, or the mistakes in it
 * @throws ScenarioError when a scenario asks for what its configuration does not allow
 */
export async function openFile(
  document: Json,
): Promise<{ readonly file: OpenedFile | null; readonly errors: readonly Issue[] }> {
  if (isJsonObject(document) && Object.hasOwn(document, 'input')) {
    const { value, errors } = parseScenario(document, chromiumLimits);
    return { file: value === null ? null : await replayed(value, Object.hasOwn(document, 'output')), errors };
  }
  const { value, errors } = parseSnapshot(document);
  return { file: value === null ? null : { snapshot: value, replayed: null }, errors };
}

async function replayed(scenario: Scenario, isCompared: boolean): Promise<OpenedFile> {
  const store = new MemoryStore();
  const random = bufferedRandomSource((words) => void crypto.getRandomValues(words));
  const sent = await replay(scenario, { random: () => random, noise: false, store });
  const all = <Name extends TableName>(name: Name): Promise<Rows[Name][]> =>
    store.read((transaction) => transaction.table(name).latest(Infinity));
  const times = [...scenario.events.flatMap(timesOf), ...sent.map(({ report_time: time }) => Number(time))];
  const { settings } = scenario;
  return {
    snapshot: {
      time: times.reduce((latest, time) => Math.max(latest, time), 0),
      clockAhead: 0,
      truth: true,
      settings: { ...settings, debug: { ...settings.debug, enabled: true, noise: false } },
      tables: await readTables(all),
    },
    replayed: {
      reports: sent.length,
      isCompared,
      difference: isCompared ? firstDifference(scenario.reports, sent) : null,
    },
  };
}
