import { workerData } from 'node:worker_threads';
import { LogJoin } from '../analysis/estimate/log-join';
import { mergeConfigurations } from '../analysis/estimate/tally';
import { ConversionDelays } from '../analysis/experiment/conversion-delays';
import type { SourceFields } from '../analysis/experiment/grid';
import { measureGroups } from '../analysis/experiment/measure';
import type { Count, RunResult } from '../analysis/experiment/result';
import type { Run, RunKind } from '../analysis/experiment/runs';
import { withSourceFields } from '../analysis/experiment/set-fields';
import { SpentEpsilon } from '../analysis/experiment/spent-epsilon';
import { parseLogLine } from '../analysis/simulation/log-line';
import { sourceLogRow } from '../analysis/simulation/source-log';
import { Tally } from '../analysis/simulation/tally';
import { LogError, simulateUser, type Simulation } from '../analysis/simulation/user';
import type { Json, JsonObject } from '../src/model/json';
import { seconds } from '../src/model/units';
import type { ScenarioReport } from '../analysis/scenario/scenario';
import { accept, InputError } from './input';
import { InputFiles } from './input-files';
import { randomFor } from './random';
import { wholeLog, memberOf } from './sharding';
import { eventLines, Progress } from './simulate-lines';
import { usersOf, type UserLines } from './simulate-users';

/** A thread that does one run after another. */

export interface ExperimentSetup {
  /** The log, sorted by user and time. */
  readonly log: string;
  readonly seed: string;
  readonly cells: readonly {
    readonly simulation: Omit<Simulation, 'noise'>;
    readonly source: SourceFields;
  }[];
  /** All columns of all levels. */
  readonly columns: readonly string[];
  readonly levels: readonly (readonly string[])[];
  readonly confidence: number;
}

export interface ExperimentTask extends Run {
  /** How many users of the log take part; null: all. */
  readonly users: number | null;
}

const setup = workerData as ExperimentSetup;

const JOINING = { skew: seconds(60), completeUntil: null };

const NOISE = { truth: false, credit: 'attribution', noisy: true } as const satisfies Record<
  RunKind,
  Simulation['noise']
>;

/** @throws RangeError for what the experiment or its data have caused. */
export default async function run(task: ExperimentTask): Promise<RunResult> {
  try {
    return await simulated(task);
  } catch (error) {
    throw error instanceof InputError || error instanceof LogError ? new RangeError(error.message) : error;
  }
}

async function simulated(task: ExperimentTask): Promise<RunResult> {
  const { cell, kind, repetition } = task;
  const found = setup.cells[cell];
  if (found === undefined) throw new RangeError(`there is no cell ${cell}`);
  const simulation = { ...withoutBudget(found.simulation, kind), noise: NOISE[kind] };
  const running = new Running();
  for await (const { user, lines } of firstUsers(task.users)) {
    const events = lines.map(({ text, place }) =>
      withSourceFields(accept(place, parseLogLine(JSON.parse(text) as Json)).event, found.source),
    );
    running.delays.begin();
    // The same in all cells, so that the differences between them are not noise.
    const random = randomFor(JSON.stringify([setup.seed, repetition, user]));
    const { reports, tally, spends } = await simulateUser(events, simulation, random, (outcome) => {
      running.delays.add(outcome);
      running.addSource(sourceLogRow(outcome, simulation));
    });
    running.addReports(reports);
    running.tally.addAll(tally);
    running.spent.add(spends);
  }
  return running.result();
}

/** Truth is what would be reported if nothing were protected. */
function withoutBudget(simulation: Omit<Simulation, 'noise'>, kind: RunKind): Omit<Simulation, 'noise'> {
  if (kind !== 'truth') return simulation;
  const { settings } = simulation;
  const budget = { ...settings.budget, epsilon: null, cap: null };
  return { ...simulation, settings: { ...settings, budget }, allocation: 'per-cap', matching: null };
}

async function* firstUsers(most: number | null): AsyncGenerator<UserLines, void, undefined> {
  const lines = eventLines(new InputFiles([setup.log]), new Progress(), memberOf(wholeLog));
  let count = 0;
  for await (const user of usersOf(lines, true)) {
    if (count === most) return;
    count += 1;
    yield user;
  }
}

/** What a run has found so far. */
class Running {
  readonly tally = new Tally();
  readonly delays = new ConversionDelays();
  readonly spent = new SpentEpsilon();
  private readonly join = new LogJoin(setup.columns, JOINING);

  addSource(source: JsonObject | null): void {
    if (source !== null) accept('source log', this.join.addSource(source));
  }

  addReports(reports: readonly ScenarioReport[]): void {
    for (const { report_time, report_url, payload } of reports) {
      const parsed = this.join.addReport({ report_time, report_url, payload });
      if (parsed !== null) accept('reports', parsed);
    }
  }

  /** @throws InputError for a column that no source has. */
  result(): RunResult {
    const missing = this.join.missing();
    if (missing !== undefined)
      throw new InputError(`measure.levels: must be columns of sources, none has "${missing}"`);
    const { columns, levels, confidence } = setup;
    const configurations = mergeConfigurations(this.join.statistics(null).configurations);
    return {
      groups: measureGroups(configurations, columns, levels, confidence),
      counts: countsOf(this.tally),
      delays: this.delays.result(),
      spent: this.spent.result(),
    };
  }
}

const countsOf = (tally: Tally): readonly Count[] =>
  tally
    .entries()
    .flatMap(([section, kinds]) => kinds.map(([kind, count]) => ({ what: `${section} ${kind}`, count })))
    .sort((a, b) => (a.what < b.what ? -1 : 1));
