import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { CommonParts } from '../../analysis/estimate/join/source-rows';
import { estimatorOf } from '../../analysis/estimate/unbiased/estimator-of';
import { mergeConfigurations, type ConfigurationTally } from '../../analysis/estimate/unbiased/tally';
import { ConversionDelays } from '../../analysis/experiment/conversion-delays';
import { quantityOf, type Levels } from '../../analysis/experiment/group-sums';
import { measureGroups } from '../../analysis/experiment/measure';
import { countsOf, type Measurement } from '../../analysis/experiment/measurement';
import type { RunResult } from '../../analysis/experiment/result';
import { SpentEpsilon } from '../../analysis/experiment/spent-epsilon';
import type { ReplayOutcome } from '../../analysis/scenario/replay';
import type { ScenarioEvent, ScenarioReport } from '../../analysis/scenario/scenario';
import { sourceLogRow } from '../../analysis/simulation/source-log';
import { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { simulateUser, type Simulation } from '../../analysis/simulation/user';
import { decisionsOf } from '../../src/model/decision';
import { seconds } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { accept, InputError } from '../io/input';

const JOINING = { skew: seconds(60), completeUntil: null };

const hasNoValues = ({ configuration }: ConfigurationTally): boolean =>
  !estimatorOf(configuration).quantities.some(({ kind }) => kind === 'value');

/** Estimates from event-level reports and the source log. */
export class EventLevelMeasurement implements Measurement {
  private readonly tally = new OutcomeCounter();
  private readonly delays = new ConversionDelays();
  private readonly spent = new SpentEpsilon();
  private readonly join: LogJoin;

  /** @param common of earlier runs with the same groups */
  constructor(
    private readonly simulation: Simulation,
    private readonly groups: Levels,
    common: CommonParts,
  ) {
    this.join = new LogJoin(groups.columns, JOINING, common);
  }

  async add(
    events: readonly ScenarioEvent[],
    random: (stream: number) => RandomSource,
    maker: 'browser' | 'forger' = 'browser',
  ): Promise<void> {
    this.delays.begin();
    const simulation = maker === 'forger' ? { ...this.simulation, noise: false as const } : this.simulation;
    const { reports, tally, spends } = await simulateUser(events, simulation, random, (outcome) =>
      this.observe(outcome),
    );
    this.addReports(reports);
    this.tally.addAll(tally);
    this.spent.add(spends);
  }

  /** @throws InputError for a column that no source has. */
  result(): RunResult {
    const missing = this.join.missing();
    if (missing !== undefined)
      throw new InputError(`measure.levels: must be columns of sources, none has "${missing}"`);
    const { columns, levels, confidence } = this.groups;
    const configurations = mergeConfigurations(this.join.statistics(null).configurations);
    const groups = measureGroups(configurations, columns, levels, confidence);
    if (quantityOf(this.groups) === 'value' && configurations.some(hasNoValues))
      throw new InputError(
        'measure.mostValue: with event-level reports, sources must have trigger_specs with the summary_operator value_sum',
      );
    return {
      sources: [],
      groups,
      counts: countsOf(this.tally),
      delays: this.delays.result(),
      spent: this.spent.result(),
    };
  }

  private observe(outcome: ReplayOutcome): void {
    const decisions = outcome.kind === 'trigger' ? decisionsOf(outcome.decision) : [];
    this.delays.add(
      outcome,
      decisions.some(({ kind }) => kind === 'attributed'),
    );
    const source = sourceLogRow(outcome, this.simulation);
    if (source !== null) accept('source log', this.join.addSource(source));
  }

  private addReports(reports: readonly ScenarioReport[]): void {
    for (const { report_time, report_url, payload } of reports) {
      const parsed = this.join.addReport({ report_time, report_url, payload });
      if (parsed !== null) accept('reports', parsed);
    }
  }
}
