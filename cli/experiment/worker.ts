import type { SourceFields } from '../../analysis/experiment/grid';
import { commonParts } from '../../analysis/estimate/source-rows';
import { LoggedSources, type LoggedSource } from '../../analysis/experiment/logged-sources';
import type { OneApi } from '../../analysis/experiment/api';
import { designOf } from '../../analysis/experiment/designs/designs';
import type { Measurement } from '../../analysis/experiment/measurement';
import { MixedMeasurement } from '../../analysis/experiment/mixed-measurement';
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

async function measurementOf(cell: SetCell, task: ExperimentTask): Promise<Measurement> {
  const { api } = cell;
  if (task.kind === 'truth' && api !== null)
    // One truth for all APIs.
    return new W3cMeasurement(null, setup.groups, await sourcesOf(cell.source, task.users), null);
  if (api?.kind !== 'mixed') return browserOf(api, cell, task, 0);
  const browsers = api.browsers.map(async ({ share, api: own }, stream) => ({
    share,
    measurement: await browserOf(own, cell, task, stream),
  }));
  return new MixedMeasurement(setup.groups, await Promise.all(browsers));
}

/** Measures people who all have the same API. @param stream of the noise of sums */
async function browserOf(
  api: OneApi | null,
  cell: SetCell,
  { kind, repetition, users }: ExperimentTask,
  stream: number,
): Promise<Measurement> {
  const given = { ...withoutBudget(cell.simulation, kind), noise: NOISE[kind], caches };
  const aggregatableReports =
    api === null ? given.settings.aggregatableReports : api.kind !== 'event-level' && api.kind !== 'w3c';
  const simulation = { ...given, settings: { ...given.settings, aggregatableReports } };
  if (api === null || api.kind === 'event-level')
    return new EventLevelMeasurement(simulation, setup.groups, common);
  const sources = await sourcesOf(cell.source, users);
  // An empty list: no user has this randomness.
  const noise = kind === 'noisy' ? randomFor(JSON.stringify([setup.seed, repetition]))(stream) : null;
  const { conversions } = api;
  if (api.kind !== 'w3c') {
    const design = designOf(api, setup.groups, sources);
    return new SummaryMeasurement(simulation, setup.groups.columns, design, conversions, noise);
  }
  const { epsilon } = cell.simulation.settings.budget;
  return new W3cMeasurement({ epsilon: epsilon ?? 0, conversions }, setup.groups, sources, noise);
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
    `measure.levels: must be keys of filter data or source_type where there is an api, none has "${missing}"`,
  );
}
