import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import { shapleyCredits, type ChannelSet } from '../../../analysis/credits/learned-shapley';
import { logisticCredits, type CountedPattern } from '../../../analysis/credits/logistic-credits';
import type { Touch } from '../../../analysis/credits/journeys';
import { patternOfConversion, spansOf } from '../../../analysis/credits/moments';
import {
  coalitionOf,
  joinings,
  type Coalition,
  type ShapleyOptions,
} from '../../../analysis/credits/shapley';
import { histogramMechanisms } from '../../../analysis/histograms/mechanisms';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { creditTable } from '../../../cli/simulate/credit-table';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';
import { moment } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';

const random = new RandomNumbers(seededRandomSource('credits', 0));

describe('Shapley values', () => {
  type Worth = (coalition: Coalition) => number;

  function values(players: readonly number[], worth: Worth, options?: ShapleyOptions): readonly number[] {
    const found = new Map(players.map((player) => [player, 0]));
    for (const { player, others, weight } of joinings(players, random, options))
      found.set(
        player,
        (found.get(player) ?? 0) + weight * (worth(others | (1n << BigInt(player))) - worth(others)),
      );
    return [...found.values()];
  }

  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const players = (count: number): readonly number[] => Array.from({ length: count }, (_, player) => player);

  /** Any game of so many players. */
  const game = (count: number): fc.Arbitrary<Worth> =>
    fc
      .array(fc.integer({ min: -100, max: 100 }), { minLength: 2 ** count, maxLength: 2 ** count })
      .map((worths) => (coalition) => (coalition === 0n ? 0 : (worths[Number(coalition)] ?? 0)));
  const sized = fc.integer({ min: 1, max: 6 }).chain((count) => fc.tuple(fc.constant(count), game(count)));
  const ways: readonly [string, ShapleyOptions | undefined][] = [
    ['by enumeration', undefined],
    ['by orders', { exactUpTo: 0, orders: 3 }],
  ];

  test.each(ways)('add up to what all players are worth, %s', (_, options) => {
    fc.assert(
      fc.property(sized, ([count, worth]) => {
        const all = worth(coalitionOf(players(count)));
        expect(sum(values(players(count), worth, options))).toBeCloseTo(all, 9);
      }),
    );
  });

  test.each(ways)('are 0 for a player who adds nothing, %s', (_, options) => {
    fc.assert(
      fc.property(sized, ([count, worth]) => {
        const idle = BigInt(count);
        const same: Worth = (coalition) => worth(coalition & ~(1n << idle));
        expect(values(players(count + 1), same, options).at(-1)).toBe(0);
      }),
    );
  });

  test('are equal for players who add the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 7, maxLength: 7 }),
        (count, worths) => {
          const bySize: Worth = (coalition) =>
            worths[players(count).filter((player) => ((coalition >> BigInt(player)) & 1n) === 1n).length] ??
            0;
          const [first = NaN, ...others] = values(players(count), bySize);
          for (const other of others) expect(other).toBeCloseTo(first, 9);
        },
      ),
    );
  });

  test('of two games add up to those of their sum', () => {
    const two = fc
      .integer({ min: 1, max: 5 })
      .chain((count) => fc.tuple(fc.constant(count), game(count), game(count)));
    fc.assert(
      fc.property(two, ([count, one, other]) => {
        const [a, b] = [values(players(count), one), values(players(count), other)];
        values(players(count), (coalition) => one(coalition) + other(coalition)).forEach((value, player) => {
          expect(value).toBeCloseTo((a[player] ?? 0) + (b[player] ?? 0), 9);
        });
      }),
    );
  });

  test('by orders are those by enumeration, on average', () => {
    // The airport game: a coalition is worth the cost of its most expensive player, 1 … 8.
    const worth: Worth = (coalition) => coalition.toString(2).replace(/^0$/, '').length;
    const exact = values(players(8), worth);
    // Player i has Σ 1/(8 − j) over the steps j ≤ i.
    exact.forEach((value, player) => {
      const share = players(player + 1).reduce((total, step) => total + 1 / (8 - step), 0);
      expect(value).toBeCloseTo(share, 12);
    });
    const orders = 4000;
    values(players(8), worth, { exactUpTo: 0, orders }).forEach((value, player) => {
      // What a player adds is from 0 to 8; by Hoeffding, it is beyond this with a probability below 1e-8.
      expect(Math.abs(value - (exact[player] ?? 0))).toBeLessThan(8 * Math.sqrt(Math.log(2e8) / 2 / orders));
    });
  });
});

describe('credits by Shapley values', () => {
  const set = (
    channels: readonly number[],
    journeys: number,
    conversions: number,
    variance = 0,
  ): ChannelSet => ({
    channels,
    journeys,
    conversions,
    variance,
  });
  const credits = (sets: readonly ChannelSet[], channelCount = 2): readonly number[] =>
    shapleyCredits(sets, channelCount, random).map(({ credit }) => Number(credit.toFixed(9)));

  test('give a channel what the rate is higher with it than without', () => {
    // Rates: 0.1 with the first alone, 0.3 with the second, 0.5 with both. Of both: (0.1 + 0.2)/2 and (0.3 + 0.4)/2, times 100.
    const sets = [set([0], 1000, 100), set([1], 200, 60), set([0, 1], 100, 50)];
    expect(credits(sets)).toEqual([100 + 15, 60 + 35]);
  });

  test('take the rate of a rare set from the largest sets within it', () => {
    // The second channel alone is rare, so it counts as no channel: 0; its own journeys keep their conversions.
    const sets = [set([0], 1000, 100), set([1], 20, 20), set([0, 1], 100, 50)];
    expect(credits(sets)).toEqual([100 + 30, 20 + 20]);
  });

  test('can be negative', () => {
    expect(credits([set([0], 100, 80), set([1], 100, 0), set([0, 1], 100, 20)])).toEqual([80 + 50, -30]);
  });

  test('add up to the conversions, and their variance is that of sums', () => {
    const someSets = fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 100 })), {
      minLength: 7,
      maxLength: 7,
    });
    fc.assert(
      fc.property(someSets, (counts) => {
        const sets = counts.map(([journeys, conversions], index) =>
          set(
            [0, 1, 2].filter((channel) => ((index + 1) >> channel) % 2 === 1),
            journeys,
            conversions,
            conversions,
          ),
        );
        const found = shapleyCredits(sets, 3, random);
        const total = counts.reduce((sum, [, conversions]) => sum + conversions, 0);
        expect(found.reduce((sum, { credit }) => sum + credit, 0)).toBeCloseTo(total, 6);
        // One more conversion in a set moves a credit by its weight, whose squares make the variance.
        const variances = found.map((_, channel) =>
          sets.reduce((sum, changed, index) => {
            const more = sets.map((other, place) =>
              place === index ? { ...other, conversions: other.conversions + 1 } : other,
            );
            const moved =
              (shapleyCredits(more, 3, random)[channel]?.credit ?? 0) - (found[channel]?.credit ?? 0);
            return sum + moved ** 2 * changed.variance;
          }, 0),
        );
        found.forEach(({ variance }, channel) => {
          expect(variance).toBeCloseTo(variances[channel] ?? NaN, 4);
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('a journey', () => {
  const HOUR = 3_600_000;
  const touch = (channel: string, hour: number): Touch => ({
    channel,
    time: moment(hour * HOUR),
    priority: 0n,
    row: {},
  });
  const journey = { touches: [touch('b', 0), touch('a', 30), touch('b', 31)], conversions: [] };

  test('has spans with the same pattern', () => {
    const spans = [...spansOf(journey)];
    expect(spans.map(({ pattern, hours }) => [JSON.stringify(pattern), hours])).toEqual([
      ['[["b",0]]', 1],
      ['[["b",1]]', 23],
      ['[["b",2]]', 6],
      ['[["a",0],["b",2]]', 1],
      ['[["a",1],["b",0]]', 1],
      ['[["a",1],["b",1]]', 22],
      ['[["a",2],["b",1]]', 1],
      ['[["a",2],["b",2]]', 113],
      // The ages of the first source end here, and change nothing.
      ['[["a",2],["b",2]]', 30],
      ['[["a",3],["b",2]]', 1],
      ['[["a",3],["b",3]]', 168],
    ]);
    expect(spans.reduce((sum, { hours }) => sum + hours, 0)).toBe(31 + 14 * 24);
  });

  test('has a pattern at a conversion, unless that comes before', () => {
    expect(patternOfConversion(journey, moment(30.5 * HOUR))).toEqual([
      ['a', 0],
      ['b', 2],
    ]);
    expect(patternOfConversion(journey, moment(-1))).toBeNull();
  });
});

describe('credits by a logistic regression', () => {
  const logistic = (output: number): number => 1 / (1 + Math.exp(-output));
  /** The first channel counts within an hour, the second within a day. */
  const weightOf = (channel: number, age: number): number =>
    [age === 0 ? 1 : 0, age <= 1 ? 2 : 0][channel] ?? 0;
  const outputOf = (cells: CountedPattern['cells']): number =>
    cells.reduce((sum, { channel, age }) => sum + weightOf(channel, age), -5);
  const ages = [null, 0, 1, 2, 3];
  const patterns = ages
    .flatMap((first) => ages.map((second) => [first, second]))
    .map((pair): CountedPattern => {
      const cells = pair.flatMap((age, channel) => (age === null ? [] : [{ channel, age }]));
      return { cells, hours: 1e6, conversions: 1e6 * logistic(outputOf(cells)) };
    })
    .filter(({ cells }) => cells.length > 0);
  const total = patterns.reduce((sum, { conversions }) => sum + conversions, 0);

  test('learn what a channel adds, by how long ago it was', () => {
    const [first = NaN, second = NaN] = logisticCredits(patterns, 2);
    expect(first + second).toBeCloseTo(total, 3);
    // What the true weights give; where no channel counts, weights near 0 decide, so these are left out.
    const expected = [0, 1].map((wanted) =>
      patterns.reduce((sum, { cells, conversions }) => {
        const output = outputOf(cells);
        const drop = (cell: { readonly channel: number; readonly age: number }): number =>
          logistic(output) - logistic(output - weightOf(cell.channel, cell.age));
        const all = cells.reduce((drops, cell) => drops + drop(cell), 0);
        const own = cells
          .filter(({ channel }) => channel === wanted)
          .reduce((drops, cell) => drops + drop(cell), 0);
        return sum + (all > 0 ? (conversions * own) / all : 0);
      }, 0),
    );
    const undecided = total - (expected[0] ?? 0) - (expected[1] ?? 0);
    expect(undecided / total).toBeLessThan(0.1);
    [first, second].forEach((credit, channel) => {
      expect(credit / total).toBeGreaterThan((expected[channel] ?? 0) / total - 0.01);
      expect(credit / total).toBeLessThan(((expected[channel] ?? 0) + undecided) / total + 0.01);
    });
  });

  test('are those of the best fit for a log with few conversions, too', () => {
    const few: readonly CountedPattern[] = [
      { cells: [{ channel: 0, age: 1 }], hours: 964, conversions: 8 },
      { cells: [{ channel: 1, age: 1 }], hours: 690, conversions: 9 },
      { cells: [0, 1].map((channel) => ({ channel, age: 1 })), hours: 36, conversions: 3 },
      { cells: [0, 1].map((channel) => ({ channel, age: 3 })), hours: 12_000, conversions: 0 },
    ];
    // By Newton's method, in double precision.
    const [first, second] = logisticCredits(few, 2);
    expect(first).toBeCloseTo(9.473297237, 5);
    expect(second).toBeCloseTo(10.526702763, 5);
  });
});

describe('simulate by channel', () => {
  const { out, err, file, pathOf } = useCommands();
  const HOUR = 3_600_000;

  /** Shows the ads of these campaigns an hour apart, and an hour later there may be a conversion that only counts for `cause`. */
  function person(number: number, campaigns: readonly string[], cause: string | null): readonly object[] {
    const line = (hour: number, context: string, eligible: string | null, header: object): object => ({
      user: `person ${number}`,
      timestamp: String(hour * HOUR),
      registration_request: {
        context_origin: context,
        ...(eligible === null ? {} : { 'Attribution-Reporting-Eligible': eligible }),
      },
      responses: [{ url: 'https://ads.example/', response: header }],
    });
    const shown = campaigns.map((campaign, index) =>
      line(index, 'https://news.example', 'event-source', {
        'Attribution-Reporting-Register-Source': {
          destination: 'https://shop.example',
          source_event_id: String(number * 10 + index),
          filter_data: { campaign: [campaign] },
        },
      }),
    );
    const bought = line(campaigns.length, 'https://shop.example', 'trigger', {
      'Attribution-Reporting-Register-Trigger': {
        event_trigger_data: [{ trigger_data: '0' }],
        filters: { campaign: [cause] },
      },
    });
    return cause === null ? shown : [...shown, bought];
  }

  /** 40 persons each: 10 % convert who saw one, 30 % who saw two, half who saw both. */
  const log = [
    { campaigns: ['one'], converting: 4 },
    { campaigns: ['two'], converting: 12 },
    { campaigns: ['one', 'two'], converting: 20 },
  ].flatMap(({ campaigns, converting }, kind) =>
    Array.from({ length: 40 }, (_, index) =>
      person(kind * 40 + index, campaigns, index < converting ? (campaigns.at(-1) ?? '') : null),
    ).flat(),
  );
  const run = (command: string, output: string, ...options: string[]): Promise<number> =>
    main([
      ...['simulate', command, '--input', file('log.ndjson', log), '--output', output],
      ...['--no-noise', '--threads', '1', '--seed', '1', ...options],
    ]);

  test('compares rules with credits that are learned from the log and from reports', async () => {
    const path = pathOf('credits.ndjson');
    expect(await run('compare', path)).toBe(0);
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string | number | null>>);
    const credits = (model: string, from: string): readonly number[] =>
      rows
        .filter((row) => row['model'] === model && row['from'] === from)
        .map(({ credit }) => Number(credit));
    expect(rows).toHaveLength(2 * (6 + 2 + 2));
    expect(credits('last-touch', 'log')).toEqual([4, 12 + 20]);
    expect(credits('first-touch', 'log')).toEqual([4 + 20, 12]);
    expect(credits('linear', 'log')).toEqual([4 + 10, 12 + 10]);
    // Of journeys with both: (0.1 + 0.2)/2 and (0.3 + 0.4)/2, times 40.
    const shapley = [4 + 6, 12 + 14];
    credits('shapley', 'log').forEach((credit, channel) => {
      expect(credit).toBeCloseTo(shapley[channel] ?? NaN, 9);
    });
    // The estimates expect noise, which replaces one output in 400,000 here.
    credits('shapley', 'reports').forEach((credit, channel) => {
      expect(credit).toBeCloseTo(shapley[channel] ?? NaN, 2);
    });
    expect(credits('priority', 'reports')[1]).toBeCloseTo(32, 2);
    expect(credits('logistic', 'log').reduce((sum, credit) => sum + credit, 0)).toBeCloseTo(36, 6);
    // What it prints is what it wrote, with totals.
    const [head = '', ...lines] = out.join('').trimEnd().split('\n');
    expect(head).toMatch(/^channel +priority +last-touch .* logistic +priority, reports +shapley, reports$/);
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ['two', '32', '32', '12'],
      ['one', '4', '4', '24'],
      ['all', '36', '36', '36'],
    ]);
    expect(lines[0]).toMatch(/ 26 +[\d.]+ +32 ± [\d.]+ +26 ± [\d.]+$/);
  });

  test('writes how many people converted first after which channel, by each mechanism', async () => {
    const path = pathOf('histogram.ndjson');
    // With this ε, noise changes anything with a probability below one in a million.
    const options = ['--epsilon', '100', '--mechanism', ...histogramMechanisms];
    expect(await run('histogram', path, ...options)).toBe(0);
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string | number>>);
    const counts: readonly [string, number][] = [
      ['one', 4],
      ['two', 32],
      ['(none)', 84],
    ];
    expect(rows).toEqual(
      histogramMechanisms.flatMap((mechanism) =>
        counts.map(([channel, people]) => ({
          mechanism,
          channel,
          people,
          estimate: expect.closeTo(people, 6) as number,
          standard_error: expect.any(Number) as number,
        })),
      ),
    );
  });

  test('says when no source has the column', async () => {
    expect(await run('compare', pathOf('credits.csv'), '--channel', 'colour')).toBe(0);
    expect(err.join('')).toMatch(/no source has a value in the column colour/);
  });

  test.each([
    ['compare', '-', [], /--output: must be a file/],
    ['compare', 'credits.csv', ['--resume'], /unknown option '--resume'/],
    ['compare', 'credits.csv', ['--epsilon', '1'], /unknown option '--epsilon'/],
    ['histogram', 'h.csv', ['--epsilon', '1'], /required option '--mechanism <names...>' not specified/],
    ['histogram', 'h.csv', ['--mechanism', 'rr'], /required option '--epsilon <epsilon>' not specified/],
    ['histogram', 'h.csv', ['--mechanism', 'rr', '--epsilon', '0'], /--epsilon must be greater than 0/],
  ])('refuses %s --output %s %p', async (command, output, options, message) => {
    expect(await run(command, output, ...options)).toBe(2);
    expect(err.join('')).toMatch(message);
    expect(existsSync(output)).toBe(false);
  });

  test('refuses to write over what is read', async () => {
    const log = pathOf('log.ndjson');
    expect(await run('compare', log)).toBe(2);
    expect(err.join('')).toMatch('log.ndjson: must not be the input as well');
  });
});

test('an error that is smaller than a tenth is not shown as none', () => {
  const row = { model: 'shapley', from: 'reports', channel: 'a', credit: 3 } as const;
  const cellOf = (standard_error: number): string | undefined =>
    creditTable([{ ...row, standard_error }])[1]
      ?.split(/ {2,}/)
      .at(-1);
  expect([12.34, 0.034, 0].map(cellOf)).toEqual(['3 ± 12.3', '3 ± 0.03', '3 ± 0']);
});
