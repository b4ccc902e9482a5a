import { normalQuantile } from '../estimate/intervals/normal';
import { days, moment } from '../../src/model/units';
import type { PrivacyUnit } from '../../src/model/mechanisms';
import { siteOfUrl } from '../../src/model/site';
import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { scenarioRegistration } from '../scenario/scenario-registration';
import { laplaceDeviation } from '../w3c/aggregate';
import {
  JOURNEY_PAIR,
  JourneyReader,
  MOST_CONVERSIONS,
  journeySizes,
  type Period,
} from '../synthetic/journeys';
import { cappedRows, measureMarginals, peopleByRows, rowsOf, type Row } from '../synthetic/private-marginals';
import { TreeModel } from '../synthetic/tree-model';
import { bucketName } from '../w3c/profile';
import { destinationsOf } from './conversion-delays';
import { quantityOf, type Levels } from './group-sums';
import { countedByGroup, type LoggedSource } from './logged-sources';
import type { Measurement } from './measurement';
import { finiteOrNull, type GroupResult, type RunResult } from './result';
import { SpentEpsilon } from './spent-epsilon';
import { profileOf } from './w3c-measurement';

interface JourneyBudget {
  readonly unit: PrivacyUnit;
  /** In days. */
  readonly period: number;
  readonly epsilon: number;
  /** How many journeys of a unit count. */
  readonly journeys: number;
}

/** Beyond the streams of registrations: which journeys of a person count. */
const CHOICE_STREAM = 2 ** 53 - 11;

/**
 * Measures by a synthetic log (docs/synthetic.md): a curator sees all events and releases journeys that were drawn from noisy marginals. All that a
 * unit does in a period and that one reporting origin learns makes its journeys, and spends ε.
 */
export class SyntheticJourneys implements Measurement {
  private readonly units: (readonly Row[])[] = [];
  private readonly groups: readonly (readonly string[])[];
  private readonly budget: JourneyBudget;
  private readonly reader: JourneyReader;
  private readonly spent = new SpentEpsilon();
  private conversions = 0;
  private leftOut = 0;

  /**
   * @param sources of the log.
   * @param noise null for the exact journeys.
   */
  constructor(
    { journeys, ...budget }: JourneyBudget,
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
    private readonly noise: RandomSource | null,
  ) {
    this.groups = countedByGroup(sources).map(({ group }) => group);
    // A unit has one journey of each kind at most, so noise for more would hide nothing.
    this.budget = { ...budget, journeys: Math.min(journeys, Math.max(1, this.groups.length)) };
    const profile = profileOf(null, levels, this.groups.map(bucketName));
    this.reader = new JourneyReader(levels.columns, this.groups, profile);
  }

  add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    const choose = random(CHOICE_STREAM);
    for (const { period, own } of this.unitsOf(events)) {
      const rows = this.reader.rows(own, period, random);
      if (rows.length === 0) continue;
      const kept = cappedRows(rows, this.budget.journeys, choose);
      this.conversions += conversionsOf(rows);
      this.leftOut += conversionsOf(rows) - conversionsOf(kept);
      this.units.push(kept);
      this.spent.addUnits([this.budget.epsilon]);
    }
    return Promise.resolve();
  }

  private unitsOf(
    events: readonly ScenarioEvent[],
  ): readonly { readonly period: Period; readonly own: ScenarioEvent[] }[] {
    const { unit, period: length } = this.budget;
    const units = new Map<string, { readonly period: Period; readonly own: ScenarioEvent[] }>();
    for (const event of events) {
      const found = partiesOf(event);
      if (found === null) continue;
      const number = Math.floor(event.time / days(length));
      const key = JSON.stringify([number, found.reportingOrigin, unit === 'user' ? null : found.advertiser]);
      const start = moment(number * days(length));
      const known = units.get(key) ?? { period: { start, days: length }, own: [] };
      known.own.push(event);
      units.set(key, known);
    }
    return [...units.values()];
  }

  result(): RunResult {
    const kind = `in journeys beyond ${this.budget.journeys} of a unit, chosen at random`;
    return {
      sources: [],
      groups: this.results(),
      counts: [
        { section: 'triggers', kind: 'attributed', count: this.conversions },
        ...(this.leftOut === 0 ? [] : [{ section: 'triggers_dropped', kind, count: this.leftOut } as const]),
      ],
      delays: [],
      spent: this.spent.result(),
    };
  }

  private results(): readonly GroupResult[] {
    const { columns, levels, confidence } = this.levels;
    const deviations = normalQuantile((1 + confidence) / 2);
    const { conversions, variance: ofKind } = this.released();
    return levels.flatMap((level, index) => {
      const places = level.map((column) => columns.indexOf(column));
      const found = new Map<string, { readonly group: readonly string[]; sum: number; variance: number }>();
      for (const [kind, values] of this.groups.entries()) {
        const group = places.map((place) => values[place] ?? '');
        const known = found.get(bucketName(group)) ?? { group, sum: 0, variance: 0 };
        known.sum += conversions[kind] ?? 0;
        known.variance += ofKind;
        found.set(bucketName(group), known);
      }
      return [...found.values()].map(({ group, sum, variance }): GroupResult => {
        const half = deviations * Math.sqrt(variance);
        return {
          ...{ level: index, group, quantity: quantityOf(this.levels) },
          ...{ observed: sum, estimate: sum, variance: finiteOrNull(variance) },
          ...{ low: finiteOrNull(sum - half), high: finiteOrNull(sum + half) },
        };
      });
    });
  }

  /** The conversions of each kind in the synthetic journeys, and the variance of the counts that they come from. */
  private released(): { readonly conversions: readonly number[]; readonly variance: number } {
    const { epsilon, journeys, period } = this.budget;
    const sizes = journeySizes(this.groups.length, period);
    const measured = measureMarginals(
      this.units,
      { sizes, kept: JOURNEY_PAIR, mostRows: journeys, epsilon },
      this.noise,
    );
    const [pair] = measured.pairs;
    const { kept } = new TreeModel(measured, sizes, rowsOf(peopleByRows(measured)));
    const width = MOST_CONVERSIONS + 1;
    const weights = Array.from({ length: width }, (_, conversions) => conversions);
    const deviation = this.noise === null || pair === undefined ? 0 : laplaceDeviation(pair.scale.toNumber());
    return {
      conversions: this.groups.map((_, kind) =>
        weights.reduce((sum, weight) => sum + weight * (kept[kind * width + weight] ?? 0), 0),
      ),
      variance: weights.reduce((sum, weight) => sum + (weight * deviation) ** 2, 0),
    };
  }
}

const CONVERSIONS_PLACE = JOURNEY_PAIR[1];

const conversionsOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => sum + (row[CONVERSIONS_PLACE] ?? 0), 0);

/** Whose event it is; null if it registers nothing. A source for several sites counts for the first. */
function partiesOf(
  event: ScenarioEvent,
): { readonly reportingOrigin: string; readonly advertiser: string } | null {
  if (event.kind !== 'request') return null;
  for (const response of event.responses) {
    const result = scenarioRegistration(event, response);
    if (result.kind === 'ignored') continue;
    const { header, occasion, register } = result.registration;
    const site = register.kind === 'source' ? destinationsOf(header)[0] : siteOfUrl(event.contextOrigin);
    return { reportingOrigin: occasion.reportingOrigin, advertiser: site ?? '' };
  }
  return null;
}
