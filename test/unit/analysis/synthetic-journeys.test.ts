import { apiProblem } from '../../../analysis/experiment/api';
import { LoggedSources } from '../../../analysis/experiment/logged-sources';
import { SyntheticJourneys } from '../../../analysis/experiment/synthetic-journeys';
import { profileOf, W3cMeasurement } from '../../../analysis/experiment/w3c-measurement';
import type { GroupResult } from '../../../analysis/experiment/result';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import {
  drawnJourney,
  JourneyReader,
  journeySizes,
  possible,
  type Period,
} from '../../../analysis/synthetic/journeys';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { days, moment } from '../../../src/model/units';

const columns = ['campaign', 'source_type'];
const levels = { columns, levels: [['campaign'], ['source_type'], []], confidence: 0.95 };
const START = moment(1_767_225_600_000);
const month: Period = { start: START, days: 31 };

const people: readonly (readonly ScenarioEvent[])[] = Array.from({ length: 100 }, (_, number) =>
  demoUser('synthetic journeys', number).lines.map((line) => {
    const { value } = parseLogLine(line);
    if (value === null) throw new RangeError('a made-up line is wrong');
    return value.event;
  }),
);
const logged = new LoggedSources(columns);
for (const event of people.flat()) logged.add(event);
const groups = logged.list().map(({ group }) => group);

describe('journeys', () => {
  const reader = new JourneyReader(
    columns,
    groups,
    profileOf(
      null,
      levels,
      groups.map((group) => JSON.stringify(group)),
    ),
  );
  const rows = people.flatMap((events, number) =>
    reader.rows(events, month, seededRandomStreams(`journeys ${number}`)),
  );
  const sizes = journeySizes(groups.length, month.days);

  test('are rows of the domain, and possible', () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const row of rows) {
      expect(row).toHaveLength(sizes.length);
      row.forEach((value, attribute) => {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(sizes[attribute] ?? 0);
        expect(possible(row, attribute, value)).toBe(true);
      });
    }
    expect(rows.some(([, conversions = 0]) => conversions > 0)).toBe(true);
  });

  test('numbers that are drawn within the ranges of a row make the same row again', () => {
    const random = seededRandomSource('drawn journeys', 0);
    const uniform = (from: number, to: number): number => from + Number(random.uint64() % BigInt(to - from));
    let compared = 0;
    for (const row of rows) {
      const drawn = drawnJourney(row, month, uniform);
      const [kind = 0, conversions = 0, impressions = 0, , day = 0] = row;
      expect(drawn.kind).toBe(kind);
      expect(drawn.conversions).toHaveLength(conversions);
      expect(Math.floor(((drawn.impressions[0] ?? 0) - START) / days(1))).toBe(day);
      expect([...drawn.impressions].sort((a, b) => a - b)).toEqual(drawn.impressions);
      if (impressions < 3) expect(drawn.impressions).toHaveLength(impressions + 1);
      for (const time of drawn.conversions) expect(time).toBeGreaterThan(drawn.impressions.at(-1) ?? 0);
      compared += 1;
    }
    expect(compared).toBe(rows.length);
  });
});

test('what a synthetic log can be compared with', () => {
  const settingsOf = (unit: string): Settings => {
    const { value } = parseSettings({ budget: { unit, period: 7, epsilon: 1, cap: 1 } }, defaultSettings);
    if (value === null) throw new RangeError('the settings are wrong');
    return value;
  };
  const api = { kind: 'synthetic-journeys', journeys: 1 } as const;
  expect(apiProblem(api, settingsOf('user'), 1)).toBeNull();
  expect(apiProblem(api, settingsOf('user-advertiser'), 1)).toBeNull();
  expect(apiProblem(api, settingsOf('user-publisher'), 1)).toContain('had user-publisher');
  expect(apiProblem(api, settingsOf('user'), 1, true)).toContain('must have no measure.mostValue');
});

describe('of a made-up month', () => {
  async function measured(measurement: SyntheticJourneys | W3cMeasurement): Promise<readonly GroupResult[]> {
    for (const [number, events] of people.entries())
      await measurement.add(events, seededRandomStreams(`synthetic ${number}`));
    return measurement.result().groups;
  }
  const synthetic = (
    epsilon: number,
    journeys: number,
    run: number | null,
  ): Promise<readonly GroupResult[]> =>
    measured(
      new SyntheticJourneys(
        { unit: 'user', period: 1000, epsilon, journeys },
        levels,
        logged.list(),
        run === null ? null : seededRandomSource('synthetic noise', run),
      ),
    );
  test('without noise and with room for all journeys, conversions are the true ones, up to three of a journey', async () => {
    const byKind = { ...levels, levels: [columns] };
    const sums = new Map<string, number>();
    let beyond = 0;
    for (const [number, events] of people.entries()) {
      const one = new W3cMeasurement(null, byKind, logged.list(), null);
      await one.add(events, seededRandomStreams(`synthetic ${number}`));
      for (const { group, estimate } of one.result().groups) {
        beyond += Math.max(0, estimate - 3);
        sums.set(group.join(), (sums.get(group.join()) ?? 0) + Math.min(estimate, 3));
      }
    }
    expect(beyond).toBe(1);
    const measurement = new SyntheticJourneys(
      { unit: 'user', period: 1000, epsilon: 1, journeys: 100 },
      byKind,
      logged.list(),
      null,
    );
    const found = await measured(measurement);
    expect(new Map(found.map(({ group, estimate }) => [group.join(), estimate]))).toEqual(sums);
  });

  test('with much ε, they are nearly the true ones, and all numbers are whole', async () => {
    const truth = new Map(
      (await synthetic(1, 100, null)).map((one) => [JSON.stringify(one.group), one.estimate]),
    );
    const noisy = await synthetic(100_000, 100, 0);
    for (const { group, estimate } of noisy) {
      expect(Number.isInteger(estimate)).toBe(true);
      // Noise of scale 100/40,000 is 0 with a probability above 1 − e^−400.
      expect(Math.abs(estimate - (truth.get(JSON.stringify(group)) ?? NaN))).toBeLessThanOrEqual(1);
    }
  });

  test('a unit has one journey of each kind at most, so room for more adds no noise', async () => {
    expect(await synthetic(1, 1000, 3)).toEqual(await synthetic(1, groups.length, 3));
    expect(await synthetic(1, groups.length - 1, 3)).not.toEqual(await synthetic(1, groups.length, 3));
  });

  test('the fewer journeys count, the more conversions are left out, and it is counted', async () => {
    const measurement = new SyntheticJourneys(
      { unit: 'user-advertiser', period: 7, epsilon: 1, journeys: 1 },
      levels,
      logged.list(),
      null,
    );
    const found = await measured(measurement);
    const whole = (results: readonly GroupResult[]): number => results.at(-1)?.estimate ?? NaN;
    const { counts, spent } = measurement.result();
    const leftOut = counts.find(({ section }) => section === 'triggers_dropped')?.count ?? 0;
    expect(leftOut).toBeGreaterThan(0);
    const all = new SyntheticJourneys(
      { unit: 'user-advertiser', period: 7, epsilon: 1, journeys: 1000 },
      levels,
      logged.list(),
      null,
    );
    expect(whole(await measured(all))).toBe(whole(found) + leftOut);
    expect(spent).toMatchObject({ mean: 1, most: 1 });
    expect(spent.units).toBeGreaterThan(people.length);
  });
});
