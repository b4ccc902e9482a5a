import { AttributionSets } from '../../analysis/experiment/attribution-sets';
import { cheated, CHEATING_STREAM, type CheatedPerson } from '../../analysis/experiment/cheating/cheated';
import { commonParts } from '../../analysis/estimate/join/source-rows';
import { LoggedSources, type LoggedSource } from '../../analysis/experiment/logged-sources';
import type { OneApi } from '../../analysis/experiment/api';
import { designOf, isSummary } from '../../analysis/experiment/designs/designs';
import type { Measurement } from '../../analysis/experiment/measurement';
import { MixedMeasurement } from '../../analysis/experiment/mixed-measurement';
import type { RunResult } from '../../analysis/experiment/result';
import type { RunKind } from '../../analysis/experiment/runs';
import { SyntheticJourneys } from '../../analysis/experiment/synthetic-journeys';
import { missingArm } from '../../analysis/experiment/tasks/lift';
import { SummaryMeasurement } from '../../analysis/experiment/summary-measurement';
import { W3cMeasurement } from '../../analysis/experiment/w3c-measurement';
import { LogError } from '../../analysis/simulation/log-error';
import type { Simulation } from '../../analysis/simulation/user';
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
  const { repetition, kind } = task;
  const cell = setup.cells[task.cell];
  if (cell === undefined) throw new RangeError(`there is no cell ${task.cell}`);
  const measurement = await measurementOf(cell, task);
  for await (const { user, person } of peopleOf(cell, task)) {
    const events = kind === 'truth' ? person.honest : person.told;
    // The same in all cells, so that the differences between them are not noise.
    await measurement.add(events, randomFor(JSON.stringify([setup.seed, repetition, user])));
    const forged = kind === 'truth' ? [] : person.forged;
    for (const [index, forgedEvents] of forged.entries())
      await measurement.add(
        forgedEvents,
        randomFor(JSON.stringify([setup.seed, repetition, user, index])),
        'forger',
      );
    if (task.run !== null) Atomics.add(setup.usersDone, task.run, 1);
  }
  return measurement.result();
}

async function measurementOf(cell: SetCell, task: ExperimentTask): Promise<Measurement> {
  const { api } = cell;
  if (task.kind === 'truth' && api !== null)
    // One truth for all APIs.
    return new W3cMeasurement(null, setup.groups, await sourcesOf(cell, task), null);
  if (api?.kind !== 'mixed') return browserOf(api, cell, task, { share: 1, stream: 0 });
  const browsers = api.browsers.map(async ({ share, api: own }, stream) => ({
    share,
    measurement: await browserOf(own, cell, task, { share, stream }),
  }));
  return new MixedMeasurement(setup.groups, await Promise.all(browsers));
}

/**
 * Measures people who all have the same API.
 * @param share of all people who have it
 * @param stream of the noise of sums
 */
async function browserOf(
  api: OneApi | null,
  cell: SetCell,
  task: ExperimentTask,
  { share, stream }: { readonly share: number; readonly stream: number },
): Promise<Measurement> {
  const { kind, repetition } = task;
  const given = { ...withoutBudget(cell.simulation, kind), noise: NOISE[kind], caches };
  const aggregatableReports = api === null ? given.settings.aggregatableReports : isSummary(api);
  const simulation = { ...given, settings: { ...given.settings, aggregatableReports } };
  if (api === null || api.kind === 'event-level')
    return new EventLevelMeasurement(simulation, setup.groups, common);
  const sources = await sourcesOf(cell, task);
  // An empty list: no user has this randomness.
  const noise = kind === 'noisy' ? randomFor(JSON.stringify([setup.seed, repetition]))(stream) : null;
  if (api.kind === 'attribution-sets')
    return new AttributionSets(setup.groups, sources, api.size, noise, api.order);
  const { budget } = cell.simulation.settings;
  const epsilon = budget.epsilon ?? 0;
  if (api.kind === 'synthetic-journeys')
    return new SyntheticJourneys(
      { ...budget, epsilon, journeys: api.journeys },
      setup.groups,
      sources,
      noise,
    );
  const { conversions } = api;
  if (isSummary(api)) {
    const design = designOf(api, setup.groups, sources, share);
    return new SummaryMeasurement(simulation, setup.groups, design, conversions, noise);
  }
  const hasQuota = cell.cheating?.kind !== 'drain' || cell.cheating.quota;
  return new W3cMeasurement({ epsilon, conversions, hasQuota }, setup.groups, sources, noise);
}

/** Truth is what would be reported if nothing were protected. */
function withoutBudget(simulation: CellSetup['simulation'], kind: RunKind): CellSetup['simulation'] {
  if (kind !== 'truth') return simulation;
  const { settings } = simulation;
  const budget = { ...settings.budget, epsilon: null, cap: null };
  return { ...simulation, settings: { ...settings, budget }, allocation: 'per-cap', matching: null };
}

/** The people of the log, and what a cheat makes of them. */
async function* peopleOf(
  { source, cheating }: SetCell,
  { users, repetition }: ExperimentTask,
): AsyncGenerator<{ readonly user: string; readonly person: CheatedPerson }, void, undefined> {
  for await (const { user, events } of log.users(users, source)) {
    if (cheating === null) yield { user, person: { honest: events, told: events, forged: [] } };
    else {
      const random = randomFor(JSON.stringify([setup.seed, repetition, user]))(CHEATING_STREAM);
      yield { user, person: cheated(events, cheating, random) };
    }
  }
}

/** @throws InputError for a column that no source has, or an arm without sources. */
async function sourcesOf(cell: SetCell, task: ExperimentTask): Promise<readonly LoggedSource[]> {
  const sources = new LoggedSources(setup.groups.columns);
  for await (const { person } of peopleOf(cell, task))
    for (const event of [person.told, ...person.forged].flat()) sources.add(event);
  const missing = sources.missing();
  if (missing !== undefined)
    throw new InputError(
      `measure.levels: must be keys of filter data or source_type where there is an api, none has "${missing}"`,
    );
  // A trial has few users: perhaps none of one arm.
  if (setup.armColumn !== null && task.users === null) requireArms(sources.list(), setup.armColumn);
  return sources.list();
}

/** @throws InputError */
function requireArms(sources: readonly LoggedSource[], column: string): void {
  const place = setup.groups.columns.indexOf(column);
  const missing = missingArm(sources.map(({ group }) => group[place] ?? ''));
  if (missing !== null)
    throw new InputError(
      `measure.levels: must have the column of the arms, with the values "exposed" and "holdout", as the first level of one column, because measure.tasks has lift; "${column}" is never "${missing}"`,
    );
}
