import type { SourceFields } from '../../analysis/experiment/grid';
import { commonParts } from '../../analysis/estimate/source-rows';
import { LoggedSources, type LoggedSource } from '../../analysis/experiment/logged-sources';
import type { Measurement } from '../../analysis/experiment/measurement';
import type { RunResult } from '../../analysis/experiment/result';
import type { RunKind } from '../../analysis/experiment/runs';
import { SummaryMeasurement } from '../../analysis/experiment/summary-measurement';
import { W3cMeasurement } from '../../analysis/experiment/w3c-measurement';
import { LogError, type Simulation } from '../../analysis/simulation/user';
import type { CellSetup } from './cells';
import { EventLevelMeasurement } from './event-level';
import { InputError } from '../io/input';
import { randomFor } from '../io/random';
import { Caches } from '../../src/work';
import { ExperimentLog } from './kept-log';
import { experimentWorker, type ExperimentTask, type SetCell } from './workers';

/** A thread that does one run after another. */

const setup = experimentWorker.setup();
const log = new ExperimentLog(setup.log);
/** The runs register and log the same sources, which are read once. */
const caches = new Caches();
const common = commonParts();

const NOISE = { truth: false, credit: 'attribution', noisy: true } as const satisfies Record<
  RunKind,
  Simulation['noise']
>;

/** @throws RangeError for an error of the experiment or its data. */
export default experimentWorker.answer(async (task) => {
  try {
    return await simulated(task);
  } catch (error) {
    throw error instanceof InputError || error instanceof LogError ? new RangeError(error.message) : error;
  }
});

async function simulated(task: ExperimentTask): Promise<RunResult> {
  const { repetition } = task;
  const cell = setup.cells[task.cell];
  if (cell === undefined) throw new RangeError(`there is no cell ${task.cell}`);
  const measurement = await measurementOf(cell, task);
  for await (const { user, events } of log.users(task.users, cell.source))
    // The same in all cells, so that the differences between them are not noise.
    await measurement.add(events, randomFor(JSON.stringify([setup.seed, repetition, user])));
  return measurement.result();
}

async function measurementOf(
  cell: SetCell,
  { kind, repetition, users }: ExperimentTask,
): Promise<Measurement> {
  const simulation = { ...withoutBudget(cell.simulation, kind), noise: NOISE[kind], caches };
  const { api } = cell;
  if (kind === 'truth' && api !== null)
    // One truth for all APIs.
    return new W3cMeasurement(null, setup.groups, await sourcesOf(cell.source, users), null);
  if (api === null || api.kind === 'event-level')
    return new EventLevelMeasurement(simulation, setup.groups, common);
  const sources = await sourcesOf(cell.source, users);
  // An empty list: no user has this randomness.
  const noise = kind === 'noisy' ? randomFor(JSON.stringify([setup.seed, repetition]))(0) : null;
  if (api.kind === 'summary') {
    const settings = { ...simulation.settings, aggregatableReports: true };
    return new SummaryMeasurement({ ...simulation, settings }, setup.groups, sources, api.conversions, noise);
  }
  const { epsilon } = cell.simulation.settings.budget;
  const budget = { epsilon: epsilon ?? 0, conversions: api.conversions };
  return new W3cMeasurement(budget, setup.groups, sources, noise);
}

/** Truth is what would be reported if nothing were protected. */
function withoutBudget(simulation: CellSetup['simulation'], kind: RunKind): CellSetup['simulation'] {
  if (kind !== 'truth') return simulation;
  const { settings } = simulation;
  const budget = { ...settings.budget, epsilon: null, cap: null };
  return { ...simulation, settings: { ...settings, budget }, allocation: 'per-cap', matching: null };
}

/** @throws InputError for a column that no source has. */
async function sourcesOf(fields: SourceFields, users: number | null): Promise<readonly LoggedSource[]> {
  const sources = new LoggedSources(setup.groups.columns);
  for await (const { events } of log.users(users, fields)) for (const event of events) sources.add(event);
  const missing = sources.missing();
  if (missing === undefined) return sources.list();
  throw new InputError(
    `measure.levels: must be keys of filter data where there is an api, none has "${missing}"`,
  );
}
