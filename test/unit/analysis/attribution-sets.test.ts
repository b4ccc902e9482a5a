import { AttributionSets, fromSets, type SetSums } from '../../../analysis/experiment/attribution-sets';
import { LoggedSources } from '../../../analysis/experiment/logged-sources';
import type { GroupResult } from '../../../analysis/experiment/result';
import { softplus } from '../../../analysis/experiment/tasks/prediction';
import { W3cMeasurement } from '../../../analysis/experiment/w3c-measurement';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { eventLine } from '../../../analysis/simulation/event-line';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { days, hours, moment, type Site } from '../../../src/model/units';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import type { RandomSource } from '../../../src/privacy/random-source';

/** All subsets of this size. */
const subsets = (items: readonly number[], size: number): readonly (readonly number[])[] =>
  size === 0
    ? [[]]
    : items.flatMap((item, index) =>
        subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
      );

const TINY = 'https://tiny.example' as Site;

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;

describe('over all sets that a conversion can get', () => {
  /** The group of each source. */
  const groupOf = [0, 0, 0, 1, 1, 2];
  const sources = groupOf.map((_, source) => source);
  const countOf = (group: number): number => groupOf.filter((of) => of === group).length;
  const allSets = (led: number, size: number): readonly (readonly number[])[] =>
    subsets(
      sources.filter((source) => source !== led),
      size - 1,
    ).map((others) => [led, ...others]);
  const sums = (size: number): SetSums => ({ size, whole: 1, squares: 1, sources: sources.length });
  const estimated = (set: readonly number[], group: number): ReturnType<typeof fromSets> =>
    fromSets(sums(set.length), countOf(group), set.filter((source) => groupOf[source] === group).length);

  test.each([1, 2, 3, 4, 5])('the estimates are right on average, with sets of %i', (size) => {
    for (const led of sources)
      for (const group of [0, 1, 2]) {
        const found = mean(allSets(led, size).map((set) => estimated(set, group).estimate));
        expect(found).toBeCloseTo(Number(groupOf[led] === group), 9);
      }
  });

  test.each([1, 2, 3, 4, 5])('their variance is as stated, with sets of %i', (size) => {
    for (const group of [0, 1, 2]) {
      const variances = sources.map((led) =>
        mean(
          allSets(led, size).map(
            (set) => (estimated(set, group).estimate - Number(groupOf[led] === group)) ** 2,
          ),
        ),
      );
      expect(estimated(sources.slice(0, size), group).variance).toBeCloseTo(mean(variances), 9);
    }
  });

  test('the loss of a model is right on average, too: that of the exact labels', () => {
    const odds = [-1.5, 0.25, 2];
    const lossOf = (conversions: (group: number) => number): number =>
      odds.reduce((sum, odd, group) => sum + countOf(group) * softplus(odd) - conversions(group) * odd, 0);
    for (const led of sources) {
      const exact = sources.reduce((sum, source) => {
        const odd = odds[groupOf[source] ?? 0] ?? NaN;
        return sum - Math.log(1 / (1 + Math.exp(source === led ? -odd : odd)));
      }, 0);
      const found = mean(allSets(led, 3).map((set) => lossOf((group) => estimated(set, group).estimate)));
      expect(found).toBeCloseTo(exact, 9);
    }
  });

  test('sets of all sources say nothing, except where all sources are of one group', () => {
    expect(estimated(sources, 0)).toEqual({ estimate: 0.5, variance: Infinity });
    expect(fromSets({ size: 4, whole: 3, squares: 5, sources: 4 }, 4, 12)).toEqual({
      estimate: 3,
      variance: 0,
    });
    expect(fromSets({ size: 4, whole: 3, squares: 5, sources: 4 }, 0, 0)).toEqual({
      estimate: 0,
      variance: 0,
    });
  });

  test('a site without conversions has none of any group', () => {
    const nothing = { estimate: 0, variance: 0 };
    expect(fromSets({ size: 4, whole: 0, squares: 0, sources: 4 }, 2, 0)).toEqual(nothing);
  });
});

describe('successive sources', () => {
  const AT = 1_767_225_600_000;
  const AD_SERVER = 'https://ads.example';

  /** One person for each campaign of a row, an hour apart, in any order. */
  const peopleOf = (row: string, buyers: readonly number[]): readonly (readonly ScenarioEvent[])[] =>
    row.split('').map((campaign, place) => {
      const lines = [
        eventLine(`user-${place}`, moment(AT + place * hours(1)), {
          ...{
            context: 'https://news.example',
            eligible: 'navigation-source',
            url: `${AD_SERVER}/impression`,
          },
          header: {
            'Attribution-Reporting-Register-Source': {
              ...{ destination: 'https://shop.example', filter_data: { campaign: [campaign] } },
            },
          },
        }),
        eventLine(`user-${place}`, moment(AT + days(2)), {
          ...{ context: 'https://shop.example', eligible: 'trigger', url: `${AD_SERVER}/conversion` },
          header: { 'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{ value: 1 }] } },
        }),
      ];
      return lines.slice(0, buyers.includes(place) ? 2 : 1).map((line) => {
        const { value } = parseLogLine(line);
        if (value === null) throw new RangeError('a made-up line is wrong');
        return value.event;
      });
    });

  /** Each run of sources with the one that led is as likely. */
  const runsWith = (place: number, size: number, sources: number): readonly number[] =>
    Array.from({ length: sources - size + 1 }, (_, start) => start).filter(
      (start) => start <= place && place < start + size,
    );

  // Where a campaign is served in one go, its neighbours are its own: the sets count it too often.
  test.each([
    ['AAABBB', [0, 4], 3, 1.8333],
    ['ABABAB', [0, 3], 3, 1.5556],
    ['AAABBBBBBBBB', [0, 4], 4, 2.9062],
  ])(
    'bias one conversion of each campaign, served as %s: %j, sets of %i: %d',
    async (row, buyers, size, stated) => {
      const countA = row.split('').filter((campaign) => campaign === 'A').length;
      const members = buyers
        .map((place) =>
          mean(
            runsWith(place, size, row.length).map(
              (start) =>
                row
                  .slice(start, start + size)
                  .split('')
                  .filter((campaign) => campaign === 'A').length,
            ),
          ),
        )
        .reduce((a, b) => a + b);
      const sums = { size, whole: 2, squares: 2, sources: row.length };
      const expected = fromSets(sums, countA, members).estimate;
      expect(expected).toBeCloseTo(stated, 4);
      const people = peopleOf(row, buyers);
      const logged = new LoggedSources(['campaign']);
      for (const event of people.flat()) logged.add(event);
      const found: number[] = [];
      for (let run = 0; run < 100; run++) {
        const levels = { columns: ['campaign'], levels: [['campaign']], confidence: 0.95 };
        const measurement = new AttributionSets(
          levels,
          logged.list(),
          size,
          seededRandomSource('successive', run),
          'successive',
        );
        // In another order than that of time.
        for (const events of people.toReversed())
          await measurement.add(events, seededRandomStreams(`successive ${run}`));
        const groups = measurement.result().groups;
        found.push(groups.find(({ group }) => group[0] === 'A')?.estimate ?? NaN);
      }
      const deviation = Math.sqrt(mean(found.map((one) => (one - expected) ** 2)) / found.length);
      expect(Math.abs(mean(found) - expected)).toBeLessThanOrEqual(6 * deviation + 1e-9);
    },
  );
});

describe('of a made-up month', () => {
  const columns = ['campaign', 'source_type'];
  const levels = { columns, levels: [['campaign'], ['source_type'], []], confidence: 0.95 };
  const people = Array.from({ length: 100 }, (_, number) =>
    demoUser('attribution sets', number).lines.map((line) => {
      const { value } = parseLogLine(line);
      if (value === null) throw new RangeError('a made-up line is wrong');
      return value.event;
    }),
  );
  const logged = new LoggedSources(columns);
  for (const event of people.flat()) logged.add(event);

  async function measured(measurement: AttributionSets | W3cMeasurement): Promise<readonly GroupResult[]> {
    for (const [number, events] of people.entries())
      await measurement.add(events, seededRandomStreams(`sets ${number}`));
    return measurement.result().groups;
  }
  const sets = (
    size: number,
    random: RandomSource | null,
    of: typeof levels & { readonly mostValue?: number } = levels,
  ): Promise<readonly GroupResult[]> => measured(new AttributionSets(of, logged.list(), size, random));
  const sorted = (results: readonly GroupResult[]): readonly string[] =>
    results.map(({ level, group, estimate }) => JSON.stringify([level, group, estimate])).sort();

  test.each([undefined, 120])('a set of one source is the truth, of values up to %p, too', async (most) => {
    const of = most === undefined ? levels : { ...levels, mostValue: most };
    const truth = sorted(await measured(new W3cMeasurement(null, of, logged.list(), null)));
    expect(sorted(await sets(1, seededRandomSource('sets', 0), of))).toEqual(truth);
    expect(sorted(await sets(10, null, of))).toEqual(truth);
  });

  test('larger sets are right on average, and their intervals hold the truth about as often as they say', async () => {
    const RUNS = 20;
    const truth = await sets(1, null);
    const runs: (readonly GroupResult[])[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await sets(8, seededRandomSource('sets', 1 + run)));
    const held: boolean[] = [];
    for (const [index, { level, estimate: expected }] of truth.entries()) {
      const found = runs.flatMap((results) => results.slice(index, index + 1));
      const deviation = Math.sqrt(mean(found.map(({ variance }) => variance ?? NaN)) / RUNS);
      // Six standard deviations: 2e-9 for each of eleven groups. All sources together are known.
      const error = Math.abs(mean(found.map(({ estimate }) => estimate)) - expected);
      expect(error).toBeLessThanOrEqual(6 * deviation + 1e-9);
      if (level < 2)
        held.push(...found.map(({ low, high }) => (low ?? NaN) <= expected && expected <= (high ?? NaN)));
    }
    // Both groups of a site, or both types, have opposite errors: 100 pairs. If they hold the truth with 0.95, P[at most 75 of 100] < 1e-9.
    expect(held).toHaveLength(10 * 2 * 10);
    expect(held.filter(Boolean).length).toBeGreaterThan(150);
  });

  /** Whole sites need none. */
  const noRandomness: RandomSource = {
    uint64: () => {
      throw new Error('nothing is drawn');
    },
  };

  test('more candidates than a site has sources leave only its total', async () => {
    const found = await sets(100_000, noRandomness);
    for (const { level, variance } of found) expect(variance).toBe(level === 2 ? 0 : null);
    expect(found.at(-1)?.estimate).toBe((await sets(1, null)).at(-1)?.estimate);
  });

  const onlyTotals = (measurement: AttributionSets): readonly string[] =>
    measurement.result().counts.flatMap(({ kind }) => (kind.startsWith('only the total') ? [kind] : []));

  test('a small site without a conversion leaves all groups their estimates', async () => {
    const tiny = logged.list().map((source) => ({ ...source, destinations: [TINY], count: 1 }));
    const measurement = new AttributionSets(
      levels,
      [...logged.list(), ...tiny],
      tiny.length,
      seededRandomSource('sets', 0),
    );
    for (const { variance } of await measured(measurement)) expect(variance).not.toBe(null);
    expect(onlyTotals(measurement)).toEqual([]);
  });

  test('the conversions of small sites are counted', async () => {
    const measurement = new AttributionSets(levels, logged.list(), 100_000, noRandomness);
    await measured(measurement);
    const sites = new Set(logged.list().flatMap(({ destinations }) => destinations)).size;
    expect(onlyTotals(measurement)).toEqual([
      `only the total is known, at ${sites} of ${sites} sites with no more sources than a set`,
    ]);
  });
});
