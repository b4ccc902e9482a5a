import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { decisionsOf } from '../../src/model/decision';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { JsonObject } from '../../src/model/json';
import type { Origin } from '../../src/model/units';
import { shareOfImpression } from '../../src/limits/privacy-budget';
import { integer, list, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import { parseTrigger } from '../../formats/registration/trigger';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { chance } from '../simulation/draws';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { reportUrl } from '../../src/reports/body';
import type { ReplayOutcome } from '../scenario/replay';
import type { ScenarioEvent, ScenarioReport, ScenarioResponse } from '../scenario/scenario';
import { OutcomeCounter } from '../simulation/outcome-counter';
import { simulateUser, type Simulation } from '../simulation/user';
import { ConversionDelays } from './conversion-delays';
import type { SummaryDesign } from './designs/design';
import type { Levels } from './group-sums';
import { withField } from './fields-at';
import { groupOf } from './logged-sources';
import { countsOf, type Measurement } from './measurement';
import type { RunResult } from './result';
import { withHeader } from './set-fields';
import { SpentEpsilon } from './spent-epsilon';

/** The number of a stream of a person's randomness, beside those of `simulateUser`. */
const BUCKETS_STREAM = 2 ** 53 - 4;

const keyName = (index: number): string => `conversions ${index}`;

/**
 * Measures by summary reports: each conversion adds the same value to the buckets of its source, and one batch of all reports of a
 * reporting origin is aggregated. Event-level reports are left out, so that their noise takes nothing from ε.
 */
export class SummaryMeasurement implements Measurement {
  private readonly tally = new OutcomeCounter();
  private readonly delays = new ConversionDelays();
  private readonly spent = new SpentEpsilon();
  /** What a conversion adds to each of its buckets, or one with the most value. */
  private readonly value: number;

  /**
   * @param conversions of a source that share its contribution budget.
   * @param noise null for none.
   */
  constructor(
    private readonly simulation: Simulation,
    private readonly levels: Levels,
    private readonly design: SummaryDesign,
    conversions: number,
    private readonly noise: RandomSource | null,
  ) {
    this.value = Math.floor(CONTRIBUTION_BUDGET / (conversions * design.keys));
  }

  async add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    this.delays.begin();
    const drawing = random(BUCKETS_STREAM);
    const simulated = await simulateUser(
      events.map((event) => this.withContributions(event, drawing)),
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
      groups: this.design.results(
        this.value / (this.levels.mostValue ?? 1),
        random === null || scale === null ? null : { random, scale },
      ),
      counts: countsOf(this.tally),
      delays: this.delays.result(),
      spent: this.spent.result(),
    };
  }

  private withContributions(event: ScenarioEvent, random: RandomSource): ScenarioEvent {
    if (event.kind !== 'request') return event;
    const sourceType = event.eligibility === 'navigation-source' ? 'navigation' : 'event';
    return {
      ...event,
      responses: event.responses.map((response) => this.changed(response, sourceType, random)),
    };
  }

  private changed(
    response: ScenarioResponse,
    sourceType: SourceType,
    random: RandomSource,
  ): ScenarioResponse {
    const { design, value } = this;
    const { columns, mostValue } = this.levels;
    const names = Array.from({ length: design.keys }, (_, index) => keyName(index));
    const source = withHeader(response, REGISTER_SOURCE, (json, header) => {
      const keys = design.keysOf(
        response.reportingOrigin ?? '',
        groupOf(header, sourceType, columns),
        random,
      );
      return {
        // Its buckets would need event-level reports.
        ...withField(json, 'trigger_specs', null),
        aggregation_keys: Object.fromEntries(keys.map((key, index) => [keyName(index), writtenKey(key)])),
        // Without event-level reports, ε is what the budget allows.
        max_event_level_reports: 0,
        event_level_epsilon: chromiumLimits.maxSettableEpsilon,
      };
    });
    return withHeader(source, REGISTER_TRIGGER, (json) => {
      const contribution = mostValue === undefined ? value : contributionOf(json, value, mostValue, random);
      return {
        ...json,
        event_trigger_data: [],
        aggregatable_trigger_data: [{ key_piece: '0x0', source_keys: names }],
        // A contribution of 0 is none.
        aggregatable_values:
          contribution === 0 ? {} : Object.fromEntries(names.map((name) => [name, contribution])),
      };
    });
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
      if (value > 0) this.design.add(origin, readKey(key), value);
  }
}

/** The share of `whole` that a trigger's value is of the most. It is rounded up or down at random, so that it is right on average however small. */
function contributionOf(json: JsonObject, whole: number, most: number, random: RandomSource): number {
  const [value = 1] =
    parseTrigger(json, chromiumLimits).value?.eventTriggerData.map((data) => data.value) ?? [];
  const product = whole * Math.min(value, most);
  const rest = product % most;
  return (product - rest) / most + Number(rest > 0 && chance(random, BigInt(rest), BigInt(most)));
}

/** Bucket 0 is that of padding. */
const writtenKey = (key: number): string => `0x${(key + 1).toString(16)}`;
const readKey = (written: string): number => Number(written) - 1;

/** Reads the contributions of an unencrypted report. */
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
