import { main } from '../../../cli/main';
import { laplaceFrequencies, sketchFrequencies } from '../../../analysis/reach/estimators';
import { flippedReach } from '../../../analysis/reach/flipped-sketches';
import { halfWidth } from '../../../analysis/estimate/intervals/half-width';
import { frequencies, Impressions } from '../../../analysis/reach/impressions';
import { Sketch } from '../../../analysis/reach/sketch';
import { seededRandomSource } from '../../../analysis/random/sources';
import { useCommands } from '../helpers/command';
import { convolution, discreteLaplaceProbabilities, instances } from '../helpers/mechanisms';
import { growthOf } from '../helpers/costs/measure';
import { coverage, crowdOf, reachOptions } from '../helpers/reach';

describe('the command', () => {
  const { out, err, file } = useCommands();
  const run = (path: string, ...options: string[]): Promise<number> =>
    main(['reach', '--sources', path, ...options]);
  const rows = (): readonly Record<string, unknown>[] =>
    out.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);

  const LOG = `user,campaign,site,source_type
ada,1,news,event
ada,1,blog,event
ada,1,blog,event
ada,2,blog,event
bob,1,news,event
bob,1,news,navigation
eve,2,blog,event
`;

  test('counts each person once, whoever showed the ad', async () => {
    const path = file('log.csv', LOG);
    expect(await run(path, '--publisher', 'site', '--group-by', 'campaign', '--frequencies', '3')).toBe(0);
    const exact = (
      quantity: string,
      impressions: number | null,
      estimate: number,
      campaign: string,
    ): object => ({
      by: 'exact',
      quantity,
      impressions,
      estimate,
      low: estimate,
      high: estimate,
      // Each campaign reached two people.
      ...(quantity === 'reach' ? shares(null) : shares(estimate / 2)),
      campaign,
    });
    const shares = (of: number | null): object => ({ share: of, share_low: of, share_high: of });
    expect(rows()).toEqual([
      exact('reach', null, 2, '1'),
      exact('frequency', 1, 0, '1'),
      exact('frequency', 2, 1, '1'),
      exact('at-least', 2, 2, '1'),
      exact('at-least', 3, 1, '1'),
      exact('reach', null, 2, '2'),
      exact('frequency', 1, 2, '2'),
      exact('frequency', 2, 0, '2'),
      exact('at-least', 2, 0, '2'),
      exact('at-least', 3, 0, '2'),
    ]);
    expect(await run(path, '--source-type', 'navigation')).toBe(0);
    expect(rows()[0]).toMatchObject({ quantity: 'reach', estimate: 1 });
  });

  test.each(['discrete-laplace', 'sketch', 'flipped-sketch'])('repeats %s with a seed', async (by) => {
    const path = file('log.csv', LOG);
    const sites = ['--publisher', 'site', '--groups', file('sites.csv', 'site\nnews\nblog\n')];
    const publishers = by === 'flipped-sketch' ? sites : sites.slice(0, 2);
    const noisy = ['--by', by, '--epsilon', '1', ...publishers, '--registers', '256', '--seed', 's'];
    expect(await run(path, ...noisy)).toBe(0);
    const first = rows();
    expect(first).toHaveLength(by === 'flipped-sketch' ? 1 : 9);
    expect(await run(path, ...noisy)).toBe(0);
    expect(rows()).toEqual(first);
    for (const { low, high } of first) expect(Number(low)).toBeLessThanOrEqual(Number(high));
  });

  describe('with noise, groups are given', () => {
    const campaigns = ['--group-by', 'campaign', '--groups'];
    const sites = ['--group-by', 'campaign', '--publisher', 'site', '--groups'];
    const GROUPS = 'campaign,site\n1,news\n1,blog\n2,news\n2,blog\n3,news\n';

    test.each([
      ['discrete-laplace', campaigns, 3 * 9],
      ['sketch', sites, 3 * 9],
      ['flipped-sketch', sites, 3],
    ])('so %s says the same of which groups whoever is there', async (by, options, count) => {
      const groups = file('groups.csv', GROUPS);
      const noisy = ['--by', by, '--epsilon', '0.1', '--cap', '2', '--registers', '64'];
      const asked = async (log: string): Promise<readonly unknown[]> => {
        expect(await run(file('log.csv', log), ...noisy, ...options, groups)).toBe(0);
        return rows().map(({ campaign, quantity, impressions }) => [campaign, quantity, impressions]);
      };
      // Eve alone saw this campaign, alone on this site.
      const others = 'user,campaign,site,source_type\nada,1,news,event\n';
      const withEve = await asked(`${others}eve,2,blog,event\n`);
      expect(withEve).toHaveLength(count);
      expect(await asked(others)).toEqual(withEve);
      expect(await asked('user,campaign,site,source_type\n')).toEqual(withEve);
    });

    test('so flipped sketches of all publishers are merged, also of those that showed nothing', async () => {
      const groups = file('groups.csv', 'campaign,site\n1,news\n1,blog\n1,shop\n');
      const path = file('log.csv', 'user,campaign,site\nada,1,news\n');
      const options = ['--by', 'flipped-sketch', '--epsilon', '3', '--registers', '64', '--seed', 's'];
      expect(await run(path, ...options, ...sites, groups)).toBe(0);
      const [three] = rows();
      const one = file('one.csv', 'campaign,site\n1,news\n');
      expect(await run(path, ...options, ...sites, one)).toBe(0);
      expect(rows()[0]?.['high']).not.toBe(three?.['high']);
    });

    test.each(['discrete-laplace', 'sketch', 'flipped-sketch'])(
      'so %s draws the same noise for each, whether or not somebody is there',
      async (by) => {
        const numbers = Array.from({ length: 20 }, (_, index) => String(index));
        const groups = file('groups.csv', `campaign\n${numbers.join('\n')}\n`);
        const noisy = ['--by', by, '--epsilon', '0.1', '--registers', '64', '--seed', 's'];
        const reachIn = async (log: string): Promise<readonly Record<string, unknown>[]> => {
          expect(await run(file('log.csv', log), ...noisy, ...campaigns, groups)).toBe(0);
          return rows().filter(({ quantity }) => quantity === 'reach');
        };
        const without = await reachIn('user,campaign\nada,1\n');
        // Without noise, all but one would be 0.
        expect(new Set(without.map(({ estimate }) => estimate)).size).toBeGreaterThan(3);
        // With the same random words, one person more changes one group: others would show that fewer words were drawn.
        const withEve = await reachIn('user,campaign\nada,1\neve,2\n');
        const others = ({ campaign }: Record<string, unknown>): boolean => campaign !== '2';
        expect(withEve.filter(others)).toEqual(without.filter(others));
      },
    );

    test('and without any, the one group is there for an empty log', async () => {
      const path = file('log.csv', 'user\n');
      expect(await run(path, '--by', 'sketch', '--epsilon', '1', '--registers', '64')).toBe(0);
      expect(rows()).toHaveLength(9);
    });

    test.each<[string, readonly string[], string, RegExp]>([
      [
        'no groups',
        ['--group-by', 'campaign'],
        '',
        /--groups: must be given, a file with the column "campaign"/,
      ],
      [
        'no publishers of flipped sketches',
        ['--by', 'flipped-sketch', '--publisher', 'site'],
        '',
        /--groups: must be given, a file with the column "site"/,
      ],
      ['groups of nothing', ['--groups'], 'campaign\n1\n', /--groups: needs --group-by/],
      [
        'a group that is not given',
        campaigns,
        'campaign\n1\n',
        /log.csv: line 5: campaign "2" must be one of the groups in .*groups.csv: add a row for it/,
      ],
      [
        'a publisher that is not given',
        ['--by', 'flipped-sketch', ...sites],
        'campaign,site\n1,news\n2,blog\n',
        /log.csv: line 3: campaign "1", site "blog" must be one of the groups in .*groups.csv/,
      ],
      [
        'groups in other columns',
        campaigns,
        'group\n1\n',
        /groups.csv: line 1: must name one column "campaign"/,
      ],
      ['no group', campaigns, 'campaign\n', /groups.csv: has no rows; expected a group in each/],
    ])('and refused: %s', async (_what, options, groups, message) => {
      const given = options.at(-1) === '--groups' ? [...options, file('groups.csv', groups)] : options;
      const by = given.includes('--by') ? [] : ['--by', 'discrete-laplace'];
      expect(await run(file('log.csv', LOG), '--epsilon', '1', ...by, ...given)).toBe(2);
      expect(err.join('')).toMatch(message);
    });
  });

  test('says what the cap left out', async () => {
    const path = file('log.csv', LOG);
    const groups = ['--group-by', 'campaign', '--groups', file('groups.csv', 'campaign\n1\n2\n')];
    expect(await run(path, '--by', 'discrete-laplace', '--epsilon', '50', ...groups)).toBe(0);
    expect(err).toEqual(['cointoss: reach: 1 impressions beyond --cap left out\n']);
    expect(rows().filter(({ quantity }) => quantity === 'reach')).toMatchObject([
      { estimate: 2, campaign: '1' },
      { estimate: 1, campaign: '2' },
    ]);
  });

  test.each([
    [['--by', 'sketch'], /--epsilon: must be given with noise/],
    [['--epsilon', '1'], /--epsilon: must be given with noise, and not with --by exact/],
    [['--by', 'sketch', '--epsilon', '0'], /--epsilon must be greater than 0 and finite, was "0"/],
    [['--by', 'flipped-sketch', '--epsilon', '200'], /--epsilon must be greater than 0 and at most 100/],
    [['--cap', '0'], /--cap must be an integer from 1 to/],
    [['--level', '1'], /--level: must be greater than 0 and less than 1, was "1"/],
    [['--person', 'who'], /log.csv: line 1: must name one column "who"/],
    [['--by', 'guess'], /argument 'guess' is invalid/],
  ])('refuses %j', async (options, message) => {
    expect(await run(file('log.csv', LOG), ...options)).toBe(2);
    expect(err.join('')).toMatch(message);
  });

  const digits =
    'a number with all its digits (write the column as text or integers, not as floating-point numbers)';
  const written =
    '(programs write this cell for a missing value; write a person of this name in another way)';
  test.each([
    ['', 'the name of the person'],
    ['nan', `the name of the person ${written}`],
    ['None', `the name of the person ${written}`],
    ['1.41e+18', digits],
    ['16193805015274918000.0', digits],
  ])('refuses a row of nobody, or of one of many: %j', async (who, expected) => {
    expect(await main(['reach', '--sources', file('log.csv', `user\n"${who}"\n`)])).toBe(2);
    expect(err.join('')).toContain(`log.csv: line 2: column "user": must be ${expected}, was "${who}"\n`);
  });

  test('counts a person once, however a program writes the number', async () => {
    expect(await main(['reach', '--sources', file('log.csv', 'user\n"7"\n"7.0"\n"8.0"\n')])).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ quantity: 'reach', estimate: 2 });
  });
});

describe('one person', () => {
  const distance = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, count, index) => sum + Math.abs(count - (other[index] ?? 0)), 0);

  test('changes the counts of all groups by the cap at most, and a sketch by one register', () => {
    const below = instances('one person');
    const most = { counts: 0, filled: 0, singles: 0 };
    const groups = ['g0', 'g1', 'g2', 'g3'].map((group) => ({ group: [group], publishers: null }));
    for (let log = 0; log < 300; log++) {
      const cap = 1 + below(3);
      const rows = Array.from(
        { length: 40 },
        () => [`g${below(4)}`, `p${below(2)}`, `u${below(12)}`] as const,
      );
      const worlds = [rows, rows.filter(([, , person]) => person !== 'u0')].map((world) => {
        const impressions = new Impressions({ cap, groups });
        for (const [group, publisher, person] of world) impressions.add([group], publisher, person);
        return new Map(impressions.slices().map((slice) => [slice.group[0], slice]));
      });
      const counts = ['g0', 'g1', 'g2', 'g3'].map((group) => {
        const [one, other] = worlds.map((slices) => {
          const slice = slices.get(group);
          if (slice === undefined) throw new Error(`${group} is given`);
          return frequencies(slice, 3);
        });
        return distance(one ?? [], other ?? []);
      });
      most.counts = Math.max(most.counts, counts.reduce((sum, count) => sum + count, 0) - cap);

      const [all, without] = [rows, rows.filter(([, , person]) => person !== 'u0')].map((world) => {
        const sketches = ['p0', 'p1'].map((publisher) => {
          const sketch = new Sketch(16, `key ${log}`);
          for (const person of new Set(world.filter((row) => row[1] === publisher).map((row) => row[2])))
            sketch.add(person, world.filter((row) => row[1] === publisher && row[2] === person).length);
          return sketch;
        });
        const merged = new Sketch(16, `key ${log}`);
        for (const sketch of sketches) merged.merge(sketch);
        return merged;
      });
      if (all === undefined || without === undefined) continue;
      most.filled = Math.max(most.filled, Math.abs(all.filled - without.filled));
      most.singles = Math.max(most.singles, distance(all.frequencies(3), without.frequencies(3)));
    }
    expect(most).toEqual({ counts: 0, filled: 1, singles: 1 });
  });
});

test('one person at one publisher changes its flipped sketches by the cap at most', () => {
  const below = instances('one person at one publisher');
  const groups = ['g0', 'g1', 'g2', 'g3'].map((group) => ({ group: [group], publishers: ['p0', 'p1'] }));
  const knownIn = (
    cap: number,
    rows: readonly (readonly [group: string, publisher: string, person: string])[],
  ): ReadonlySet<string> => {
    const impressions = new Impressions({ cap, groups });
    for (const [group, publisher, person] of rows) impressions.add([group], publisher, person);
    return new Set(
      impressions
        .slices()
        .flatMap(({ group, publishers }) =>
          [...publishers].flatMap(([name, people]) =>
            [...people.keys()].map((person) => [...group, name, person].join()),
          ),
        ),
    );
  };
  let most = 0;
  for (let log = 0; log < 300; log++) {
    const cap = 1 + below(3);
    const rows = Array.from({ length: 20 }, () => [`g${below(4)}`, `p${below(2)}`, `u${below(4)}`] as const);
    const isTheirs = (row: readonly [string, string, string]): boolean => row[1] === 'p0' && row[2] === 'u0';
    const [all, without] = [
      knownIn(cap, rows),
      knownIn(
        cap,
        rows.filter((row) => !isTheirs(row)),
      ),
    ];
    const changed =
      [...all].filter((one) => !without.has(one)).length + [...without].filter((one) => !all.has(one)).length;
    most = Math.max(most, changed - cap);
  }
  expect(most).toBe(0);
});

test('an impression takes no longer if there are many publishers', async () => {
  const impressionsOf = (count: number): (() => void) => {
    const publishers = Array.from({ length: count }, (_, index) => `p${index}`);
    const impressions = new Impressions({ cap: 1, groups: [{ group: [], publishers }] });
    return () => {
      for (let row = 0; row < count; row++) impressions.add([], publishers[row] ?? '', `u${row}`);
    };
  };
  expect(await growthOf(impressionsOf, (add) => add(), 64_000)).toBeNull();
});

describe('intervals', () => {
  const NOBODY = { estimate: NaN, interval: [NaN, NaN] } as const;

  test.each([
    [3, 1],
    [2, 4],
  ])('of noise of scale %i in %i counts have the level, and no less than needed', (scale, terms) => {
    const REACH = 200;
    let sum = [1];
    for (let term = 0; term < terms; term++)
      sum = convolution(sum, discreteLaplaceProbabilities(scale, REACH));
    const centre = REACH * terms;
    const inside = (width: number): number =>
      sum.slice(centre - width, centre + width + 1).reduce((total, p) => total + p, 0);
    const width = halfWidth(0.95, { variance: 0, scale, terms });
    expect(inside(width)).toBeGreaterThanOrEqual(0.95);
    expect(inside(width - 1)).toBeLessThan(0.95);
  });

  test('are the normal ones without Laplace noise, and scale with it', () => {
    expect(halfWidth(0.95, { variance: 1e4, scale: 1, terms: 0 })).toBeCloseTo(196, -0.5);
    // P[|z| > w] = e^(−w/scale).
    expect(halfWidth(0.95, { variance: 0, scale: 1e6, terms: 1 }) / 1e6).toBeCloseTo(Math.log(20), 1);
  });

  const people = 120;
  const slice = crowdOf(people);
  const random = seededRandomSource('reach', 0);

  test.each([
    ['reach', 1, 4, 480],
    ['people with two impressions', 2, 2, 120],
    ['people with three or more', 3, 4, 240],
  ])('of counts with noise have %s in 95 %% of 4,000 repetitions', (_, from, to, truth) => {
    // With this scale, whole numbers are fine enough for 95 %. Of fewer people, noise could make a count negative.
    const estimate = laplaceFrequencies({ ...reachOptions, epsilon: 0.1 });
    const many = crowdOf(480);
    const covered = coverage(truth, 4000, () => estimate(many, random)(from, to));
    expect(covered).toBeGreaterThan(0.95 - 0.017);
    expect(covered).toBeLessThan(0.95 + 0.017);
  });

  test('of counts that noise would make negative have a width, and the number and the truth in it', () => {
    const estimate = laplaceFrequencies({ ...reachOptions, epsilon: 0.1 });
    const few = crowdOf(4);
    const found = Array.from({ length: 2000 }, () => estimate(few, random)(1, 4));
    for (const { estimate: people, interval } of found) {
      expect(people).toBeGreaterThanOrEqual(0);
      expect(interval[0]).toBeLessThanOrEqual(people);
      expect(interval[1]).toBeGreaterThan(people);
    }
    // Noise makes about half of them negative; six standard errors of this are 7 %.
    expect(found.filter(({ estimate: people }) => people === 0).length).toBeGreaterThan(600);
    expect(coverage(4, found.length, (repetition) => found[repetition] ?? NOBODY)).toBeGreaterThan(0.95);
  });

  test.each([
    ['two impressions', 2, 2, 0.25],
    ['three or more', 3, 4, 0.5],
  ])(
    'of counts with noise have the share of people with %s in 95 %% of 4,000 repetitions',
    (_, from, to, truth) => {
      const estimate = laplaceFrequencies({ ...reachOptions, epsilon: 0.3 });
      const covered = coverage(truth, 4000, () => estimate(slice, random)(from, to).share ?? NOBODY);
      expect(covered).toBeGreaterThan(0.95 - 0.017);
      // If most of the noise hides everybody, nothing is said of the share.
      const faint = laplaceFrequencies({ ...reachOptions, epsilon: 0.01 })(slice, random)(from, to).share;
      expect(faint).toBeNull();
    },
  );

  test('of sketches have the share of people', () => {
    const covered = coverage(0.25, 150, (key) => {
      const frequency = sketchFrequencies({ ...reachOptions, epsilon: 4, registers: 512, key: `key ${key}` });
      return frequency(slice, random)(2, 2).share ?? NOBODY;
    });
    expect(covered).toBeGreaterThan(0.85);
  });

  /*
   * With 64 registers, about five have one person. If 95 % hold, fewer than 351 of 400 do in one of a million cases; 300 and 285 held when the
   * sampled share stood for the true one in its own variance.
   */
  test('of sketches with few registers have the people with two impressions, and their share', () => {
    const crowd = crowdOf(300);
    const found = Array.from({ length: 400 }, (_, key) =>
      sketchFrequencies({ ...reachOptions, epsilon: 10, registers: 64, key: `key ${key}` })(crowd, random)(
        2,
        2,
      ),
    );
    const at = (key: number): (typeof found)[number] => found[key] ?? { ...NOBODY, share: null };
    expect(coverage(75, 400, at)).toBeGreaterThan(0.877);
    expect(coverage(0.25, 400, (key) => at(key).share ?? NOBODY)).toBeGreaterThan(0.877);
  });

  // `npm run soak -- reach` has 4,000 repetitions of each.
  test('of sketches have the truth', () => {
    const frequency = (key: number): ReturnType<ReturnType<typeof sketchFrequencies>> =>
      sketchFrequencies({ ...reachOptions, registers: 512, key: `key ${key}` })(slice, random);
    expect(coverage(people, 150, (key) => frequency(key)(1, 4))).toBeGreaterThan(0.83);
    const flipped = (key: number): ReturnType<ReturnType<typeof flippedReach>> =>
      flippedReach({ ...reachOptions, epsilon: 4, registers: 512, key: `key ${key}` })(slice, random);
    expect(coverage(people, 100, flipped)).toBeGreaterThan(0.8);
  });
});
