import { EventLevelMeasurement } from '../../../cli/experiment/event-level';
import { main } from '../../../cli/main';
import { commonParts } from '../../../analysis/estimate/join/source-rows';
import { compareExperiment } from '../../../analysis/experiment/compare-example';
import { designOf, type SummaryApi } from '../../../analysis/experiment/designs/designs';
import { parseExperiment } from '../../../analysis/experiment/experiment';
import { LoggedSources } from '../../../analysis/experiment/logged-sources';
import type { Measurement } from '../../../analysis/experiment/measurement';
import type { GroupResult, RunResult } from '../../../analysis/experiment/result';
import { SummaryMeasurement } from '../../../analysis/experiment/summary-measurement';
import { withSourceFields } from '../../../analysis/experiment/set-fields';
import { taskNumbers } from '../../../analysis/experiment/task-numbers';
import { fittedOdds } from '../../../analysis/experiment/tasks/fitted-odds';
import { fittedValues } from '../../../analysis/experiment/tasks/fitted-values';
import { value } from '../../../analysis/experiment/tasks/value';
import type { TaskInput } from '../../../analysis/experiment/tasks/task';
import { W3cMeasurement } from '../../../analysis/experiment/w3c-measurement';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { replaySettings, type ScenarioEvent } from '../../../analysis/scenario/scenario';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import type { Simulation } from '../../../analysis/simulation/user';
import type { Json, JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { useCommands } from '../helpers/command';
import { cells, sumsOf } from '../helpers/feature-cells';

const { err, file, pathOf } = useCommands();

const inputOf = (sums: TaskInput['sums']): TaskInput => ({
  ...{ groups: [], cells, sums, confidence: 0.95, holdout: null, mostValue: 1 },
});
const numbersOf = (sums: TaskInput['sums']): readonly number[] =>
  Object.values(value.numbers).map((numberOf) => numberOf(inputOf(sums)));

describe('the value model', () => {
  test('has the slope 0: what each sum lacks is the weight’s pull', () => {
    const sums = sumsOf(cells);
    // Twice the room, so that no prediction is cut off.
    const fitted = fittedValues(cells, sums, 2);
    const lacking = sums.map((byValue, column) =>
      [...byValue].map(
        ([name, sum]) =>
          sum -
          cells.reduce(
            (all, { values, sources }, cell) =>
              values[column] === name ? all + sources * (fitted[cell] ?? NaN) : all,
            0,
          ),
      ),
    );
    // Without a pull on the intercept, each column's weights add up to 0.
    for (const column of lacking) expect(column.reduce((all, one) => all + one, 0)).toBeCloseTo(0, 6);
    const at = (campaign: string, type: string): number =>
      fitted[cells.findIndex(({ values }) => values[0] === campaign && values[1] === type)] ?? NaN;
    expect((lacking[0]?.[0] ?? NaN) - (lacking[0]?.[1] ?? NaN)).toBeCloseTo(at('a', 'x') - at('b', 'x'), 6);
    expect((lacking[1]?.[0] ?? NaN) - (lacking[1]?.[1] ?? NaN)).toBeCloseTo(at('a', 'x') - at('a', 'y'), 6);
  });

  test('costs nothing with the truth, and something with confused columns or no sums', () => {
    const sums = sumsOf(cells);
    const [error, wrong, calibration] = numbersOf(sums);
    expect(error).toBeCloseTo(0, 9);
    expect(wrong).toBe(0);
    expect(calibration).toBeCloseTo(1, 1);
    const turned = sums.map((byValue) => {
      const values = [...byValue.values()].reverse();
      return new Map([...byValue.keys()].map((name, index) => [name, values[index] ?? 0]));
    });
    expect(numbersOf(turned)[0]).toBeGreaterThan(5);
    for (const factor of [-50, 0, 50])
      for (const number of numbersOf(sums.map((one) => new Map([...one].map(([k, v]) => [k, v * factor])))))
        expect(number).toBeLessThan(Infinity);
  });
});

/** Two columns of two values. */
const cellsOf = (sources: readonly number[], truthOf: (sources: number) => number): TaskInput['cells'] =>
  [
    ['a', 'x'],
    ['a', 'y'],
    ['b', 'x'],
    ['b', 'y'],
  ].map((values, place) => {
    const count = sources[place] ?? 0;
    return { values, sources: count, truth: truthOf(count) };
  });

describe('sums that are scaled to those of another column', () => {
  const square = cellsOf([500, 500, 500, 500], () => 250);
  const of = (...columns: readonly Record<string, number>[]): TaskInput['sums'] =>
    columns.map((column) => new Map(Object.entries(column)));

  // Everything in one column, and half of it, all of `x`, in the other: their mean is more than `x` can be worth.
  const sums = of({ a: 1000, b: 1000 }, { x: 1000, y: 0 });

  test('never exceed what a value can be worth: what is above goes to the others', () => {
    const fitted = fittedValues(square, sums, 1);
    expect(500 * fitted.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1500, 6);
    // The pull moves 1/1,001 of the distance to the mean.
    expect(fitted).toEqual([1, 0.5, 1, 0.5].map((worth): unknown => expect.closeTo(worth, 3)));
  });

  // Sums that no rates have would give the intercept and a weight 500 each.
  test('of conversions likewise, so that no odds are beyond what the sums say', () => {
    const rates = fittedOdds(square, sums).map((odds) => 1 / (1 + Math.exp(-odds)));
    expect(rates).toEqual([0.997, 0.503, 0.997, 0.503].map((rate): unknown => expect.closeTo(rate, 3)));
  });
});

test('rounding tells no cells apart', () => {
  const alike = cellsOf([3, 11, 5, 13], (sources) => sources * (1 / 3));
  const ofTruth = sumsOf(alike);
  const fitted = fittedValues(alike, ofTruth, 1);
  expect(new Set(fitted).size).toBeGreaterThan(1);
  const reversed = ofTruth.map(
    (byValue) => new Map([...byValue].reverse().map(([name], place) => [name, 1 + place])),
  );
  const wrong = value.numbers['pairs of cells in the wrong order, %'];
  expect(wrong?.({ ...inputOf(reversed), cells: alike })).toBe(0);
});

describe('of a made-up month, all APIs add up what conversions are worth', () => {
  const MOST = 100;
  const levels = {
    ...{ columns: ['campaign', 'source_type'], levels: [['campaign'], ['source_type']], confidence: 0.95 },
    mostValue: MOST,
  };
  // Who saw one ad: of others, Attribution Reporting drops conversions whose last source is of another campaign.
  const lines = Array.from({ length: 1200 }, (_, number) => demoUser('values', number).lines).filter(
    (ofUser) => JSON.stringify(ofUser).split('Attribution-Reporting-Register-Source').length === 2,
  );
  const people = lines.map((ofUser) => ofUser.flatMap((line) => parseLogLine(line).value?.event ?? []));
  const logged = new LoggedSources(levels.columns);
  for (const events of people) for (const event of events) logged.add(event);

  /** Read from the lines: each conversion names its campaign. */
  const truth = new Map<string, number>();
  /** The same with the starts of the buckets below. */
  const starts = new Map<string, number>();
  let conversions = 0;
  for (const line of lines.flat() as readonly JsonObject[]) {
    const [response = {}] = line['responses'] as readonly { readonly response?: JsonObject }[];
    const header = response.response?.['Attribution-Reporting-Register-Trigger'] as
      | { event_trigger_data: { value: number }[]; filters: { campaign: string[] } }
      | undefined;
    if (header === undefined) continue;
    const campaign = header.filters.campaign[0] ?? '';
    conversions += 1;
    const worth = header.event_trigger_data[0]?.value ?? 0;
    starts.set(campaign, (starts.get(campaign) ?? 0) + (worth < 50 ? 1 : 50));
    truth.set(campaign, (truth.get(campaign) ?? 0) + Math.min(worth, MOST));
  }

  async function measured(
    measurement: Measurement,
    change = (event: ScenarioEvent): ScenarioEvent => event,
    several = people,
  ): Promise<ReadonlyMap<string, number>> {
    for (const [number, events] of several.entries())
      await measurement.add(events.map(change), seededRandomStreams(`values ${number}`));
    return new Map(
      measurement
        .result()
        .groups.filter(({ level, quantity }) => level === 0 && quantity === 'value')
        .map(({ group, estimate }) => [group[0] ?? '', estimate]),
    );
  }

  const simulation: Simulation = {
    settings: { ...replaySettings, aggregatableReports: true },
    limits: chromiumLimits,
    noise: false,
    allocation: 'per-cap',
    matching: null,
  };

  test('W3C Attribution exactly', async () => {
    expect(conversions).toBeGreaterThan(10);
    expect(await measured(new W3cMeasurement(null, levels, logged.list(), null))).toEqual(
      new Map([...logged.list()].map(({ group }) => [group[0] ?? '', truth.get(group[0] ?? '') ?? 0])),
    );
  });

  test.each<SummaryApi>([
    { kind: 'summary', conversions: 16 },
    { kind: 'label-sums', conversions: 16 },
  ])('summary reports, as $kind, up to rounding', async (api) => {
    const design = designOf(api, levels, logged.list(), 1);
    const found = await measured(new SummaryMeasurement(simulation, levels, design, 16, null));
    // Each contribution is rounded to a whole number of at least 65,536/16/2 for MOST.
    const rounding = (conversions * MOST) / (65_536 / 16 / 2);
    for (const [campaign, worth] of truth) {
      expect(Math.abs((found.get(campaign) ?? NaN) - worth)).toBeLessThan(rounding);
    }
  });

  /*
   * A conversion of at most 120 adds one or nothing to a bucket: 65,536/512/65,536 of its value on average. The sum of so many has a standard
   * deviation of the root of 512 times the worth; each campaign is off by six of them with a probability below 1e-8.
   */
  test('summary reports on average, if conversions can be worth far more than one contribution has room for', async () => {
    const rough = { ...levels, mostValue: 65_536 };
    const design = designOf({ kind: 'summary', conversions: 512 }, rough, logged.list(), 1);
    const found = await measured(new SummaryMeasurement(simulation, rough, design, 512, null));
    for (const [campaign, worth] of truth)
      expect(Math.abs((found.get(campaign) ?? NaN) - worth)).toBeLessThan(6 * Math.sqrt(512 * worth));
    const sum = (sums: ReadonlyMap<string, number>): number =>
      [...sums.values()].reduce((total, one) => total + one, 0);
    expect(Math.abs(sum(found) - sum(truth))).toBeLessThan(6 * Math.sqrt(512 * sum(truth)));
    expect(sum(truth) + 6 * Math.sqrt(512 * sum(truth))).toBeLessThan(512 * conversions);
  });

  test('event-level reports, if all sources sum values: as the start of the bucket', async () => {
    const plain = new EventLevelMeasurement(simulation, levels, commonParts());
    await expect(measured(plain, undefined, people.slice(0, 1))).rejects.toThrow(
      /measure\.mostValue: .*value_sum/,
    );
    const fields = new Map<string, Json>([
      [
        'trigger_specs',
        [
          {
            trigger_data: [0, 1, 2, 3, 4, 5, 6, 7],
            summary_operator: 'value_sum',
            summary_buckets: [1, 50],
            event_report_windows: { end_times: [2_592_000] },
          },
        ],
      ],
      ['trigger_data', null],
      ['event_report_window', null],
      ['max_event_level_reports', 2],
      // One output in ten thousand is said to be replaced, so the estimates hardly correct any.
      ['event_level_epsilon', 14],
    ]);
    const found = await measured(new EventLevelMeasurement(simulation, levels, commonParts()), (event) =>
      withSourceFields(event, { navigation: fields, event: fields }),
    );
    for (const [campaign, worth] of starts)
      expect(Math.abs((found.get(campaign) ?? NaN) - worth)).toBeLessThan(0.5);
  });
});

test('an API that says nothing of a group does not say that it has no conversions', () => {
  const measure = { levels: [['campaign'], ['source_type']], tasks: ['ranking', 'rates', 'model'] };
  const experiment = parseExperiment({ ...compareExperiment, measure }).value;
  if (experiment === null) throw new RangeError('the example is wrong');
  const sources = ['a', 'b', 'c'].flatMap((campaign, index) =>
    ['event', 'navigation'].map((type) => ({
      group: [campaign, type],
      count: 100,
      conversions: 20 + 5 * index,
    })),
  );
  const none: RunResult = {
    sources,
    groups: [],
    counts: [],
    delays: [],
    spent: { units: 0, mean: 0, most: 0 },
  };
  const row = (level: number, name: string, estimate: number, variance: number | null = 1): GroupResult => ({
    ...{ level, group: [name], quantity: 'conversions', observed: estimate, low: null, high: null },
    ...{ estimate, variance },
  });
  const known = [row(0, 'a', 40), row(0, 'b', 60), row(1, 'event', 75), row(1, 'navigation', 75)];
  const numbersWith = (...c: readonly GroupResult[]): readonly (readonly [string, number])[] =>
    taskNumbers(experiment, {
      values: [],
      truth: none,
      credit: [],
      noisy: [{ ...none, groups: [...known, ...c] }],
    }).map(({ quantity, value: { mean } }) => [quantity, mean]);
  const of = (task: string, all: ReturnType<typeof numbersWith>): typeof all =>
    all.filter(([name]) => name === task);
  const missing = numbersWith();
  expect(missing).toEqual(numbersWith(row(0, 'c', 0, null)));
  expect(missing).toEqual(numbersWith(row(0, 'c', 1234, null)));
  // Half of the two pairs of three that it belongs to.
  expect(of('ranking', missing)[0]?.[1]).toBeCloseTo(100 / 3, 9);
  expect(of('model', missing)).toEqual(of('model', numbersWith(row(0, 'c', 50))));
  expect(of('model', missing)).not.toEqual(of('model', numbersWith(row(0, 'c', 0))));
});

test.each<[string, JsonObject, string]>([
  ['without the most that a conversion is worth', { tasks: ['value'] }, 'must have a measure.mostValue'],
  ['of conversions, with it', { tasks: ['ranking'], mostValue: 9 }, 'must have no measure.mostValue'],
])('refuses a task %s', async (_, measure, message) => {
  const experiment = { ...compareExperiment, measure: { levels: [['campaign']], ...measure } };
  expect(await main(['compare', file('bad.json', experiment), '--output', pathOf('none')])).toBe(2);
  expect(err.join('')).toContain(message);
});
