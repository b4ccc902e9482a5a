import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { decisionsOf } from '../../src/model/decision';
import { chromiumLimits } from '../../src/model/limits';
import type { Origin } from '../../src/model/units';
import { shareOfImpression } from '../../src/limits/privacy-budget';
import { integer, list, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { reportUrl } from '../../src/reports/body';
import type { ReplayOutcome } from '../scenario/replay';
import type { ScenarioEvent, ScenarioReport, ScenarioResponse } from '../scenario/scenario';
import { OutcomeCounter } from '../simulation/outcome-counter';
import { simulateUser, type Simulation } from '../simulation/user';
import { ConversionDelays } from './conversion-delays';
import { GroupSums, type Levels } from './group-sums';
import { groupOf, type LoggedSource } from './logged-sources';
import { countsOf, type Measurement } from './measurement';
import type { RunResult } from './result';
import { withHeader } from './set-fields';
import { SpentEpsilon } from './spent-epsilon';

/** The name of the one key of each source. */
const KEY = 'conversions';

/**
 * Measures by summary reports: each conversion adds the same value to the bucket of its source's group, and one batch of all reports of a
 * reporting origin is aggregated. Event-level reports are left out, so that their noise takes nothing from ε.
 */
export class SummaryMeasurement implements Measurement {
  private readonly tally = new OutcomeCounter();
  private readonly delays = new ConversionDelays();
  private readonly spent = new SpentEpsilon();
  private readonly sums: GroupSums;
  private readonly keys = new Map<string, string>();
  private readonly value: number;

  /**
   * @param sources of the log.
   * @param conversions of a source that share its contribution budget.
   * @param noise null for none.
   */
  constructor(
    private readonly simulation: Simulation,
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
    conversions: number,
    private readonly noise: RandomSource | null,
  ) {
    this.value = Math.floor(CONTRIBUTION_BUDGET / conversions);
    const groups = new Map<string, readonly string[]>();
    for (const { reportingOrigin, group } of sources)
      groups.set(bucketOf(reportingOrigin, this.keyOf(group)), group);
    this.sums = new GroupSums(groups);
  }

  async add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    this.delays.begin();
    const simulated = await simulateUser(
      events.map((event) => this.withContributions(event)),
      this.simulation,
      random,
      (outcome) => this.observe(outcome),
    );
    for (const report of simulated.reports) this.addReport(report);
    this.tally.addAll(simulated.tally.filter(([section]) => section === 'setting_effects'));
    this.spent.add(simulated.spends);
  }

  result(): RunResult {
    const { budget } = this.simulation.settings;
    const share = shareOfImpression(budget);
    const scale = share === null ? null : Rational.of(BigInt(CONTRIBUTION_BUDGET)).over(Rational.of(share));
    const { noise: random } = this;
    return {
      sources: [],
      groups: this.sums.results(
        this.levels,
        this.value,
        random === null || scale === null ? null : { random, scale },
      ),
      counts: countsOf(this.tally),
      delays: this.delays.result(),
      spent: this.spent.result(),
    };
  }

  /** A key for each group, from 1 on. */
  private keyOf(group: readonly string[]): string {
    const name = JSON.stringify(group);
    const key = this.keys.get(name) ?? `0x${(this.keys.size + 1).toString(16)}`;
    this.keys.set(name, key);
    return key;
  }

  private withContributions(event: ScenarioEvent): ScenarioEvent {
    return event.kind === 'request'
      ? { ...event, responses: event.responses.map((response) => this.changed(response)) }
      : event;
  }

  private changed(response: ScenarioResponse): ScenarioResponse {
    const { columns } = this.levels;
    const source = withHeader(response, REGISTER_SOURCE, (json, header) => ({
      ...json,
      aggregation_keys: { [KEY]: this.keyOf(groupOf(header, columns)) },
      // Without event-level reports, ε is what the budget allows.
      max_event_level_reports: 0,
      event_level_epsilon: chromiumLimits.maxSettableEpsilon,
    }));
    return withHeader(source, REGISTER_TRIGGER, (json) => ({
      ...json,
      event_trigger_data: [],
      aggregatable_trigger_data: [{ key_piece: '0x0', source_keys: [KEY] }],
      aggregatable_values: { [KEY]: this.value },
    }));
  }

  private observe(outcome: ReplayOutcome): void {
    if (outcome.kind !== 'trigger') this.tally.addOutcome(outcome);
    else {
      const outcomes = outcome.aggregatable?.outcomes ?? [];
      // Without a source, only the other half knows the reason.
      for (const made of outcomes.length === 0 ? decisionsOf(outcome.decision) : outcomes) {
        this.tally.add('triggers', made.kind);
        if (made.kind === 'dropped') this.tally.add('triggers_dropped', made.reason);
      }
      this.delays.add(
        outcome,
        outcomes.some(({ kind }) => kind === 'attributed'),
      );
      return;
    }
    this.delays.add(outcome, false);
  }

  private addReport({ report_url: url, payload }: ScenarioReport): void {
    const { origin } = new URL(url);
    // A debug copy would count a report again.
    if (url !== reportUrl('aggregatable', origin as Origin)) return;
    for (const { key, value } of parse(payload, contributions).value ?? [])
      this.sums.add(bucketOf(origin, key), value);
  }
}

const bucketOf = (reportingOrigin: string, key: string): string => `${reportingOrigin} ${key}`;

/** Of a report in the clear. */
const contributions: Parser<readonly { readonly key: string; readonly value: number }[]> = (place) =>
  new Fields(place).required(
    'histograms',
    list((item) => {
      const fields = new Fields(item);
      return {
        key: fields.required('key', string, ''),
        value: fields.required('value', integer(0, CONTRIBUTION_BUDGET), 0),
      };
    }),
    [],
  );
