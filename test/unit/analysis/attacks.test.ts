import { measureAttack, measured } from '../../../analysis/attack/attack';
import { attacks } from '../../../analysis/attack/attacks';
import { collusion, majority, sitesWithin } from '../../../analysis/attack/collusion';
import { linkage } from '../../../analysis/attack/linkage';
import { memorization, trainedOn } from '../../../analysis/attack/memorization';
import { marginals } from '../../../analysis/attack/reconstruction';
import { belief } from '../../../analysis/audit/belief';
import { configured, jointly } from '../../../analysis/audit/configured';
import { observe } from '../../../analysis/audit/observer';
import { distributionOf, PRECISION, type Distribution } from '../../../analysis/audit/outcomes';
import { view } from '../../../analysis/audit/shapes';
import { bought, shown, type World } from '../../../analysis/audit/world';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { main } from '../../../cli/main';
import { chromiumLimits } from '../../../src/model/limits';
import { epsilon } from '../../../src/model/units';
import { Caches } from '../../../src/work';
import { useCommands } from '../helpers/command';

const { out, err } = useCommands();

const random = seededRandomStreams('attacks');
const EPSILONS = [0.25, 3, null];

describe.each(Object.entries(attacks))('the attack %s', (name, attack) => {
  test.each(EPSILONS)('at ε = %s is never better than ε promises', (value) => {
    const bounds = attack.bounds(value);
    measured(measureAttack(attack, value, 100, random)).forEach(({ low }, index) => {
      expect(low).toBeLessThanOrEqual((bounds[index] ?? 1) + 1e-12);
    });
  });

  test.each(EPSILONS)('at ε = %s succeeds as often in trials as it says', (value) => {
    const { exact, ...drawn } = attack;
    if (exact === undefined) return;
    // Models take a millisecond to train.
    const found = measured(measureAttack(drawn, value, name === 'memorization' ? 100 : 1000, random));
    exact(value).forEach((share, index) => {
      // Twice the interval at 95 %: one of 10,000 would be outside.
      const { low = 0, high = 0 } = found[index] ?? {};
      expect(Math.abs(share - (low + high) / 2)).toBeLessThan(high - low);
    });
  });
});

test('all tables together give each person the amounts that the sums over tables give', () => {
  // Every table from scratch, with the probabilities of the noise themselves.
  const spent = [0, 20, 50];
  const pairs = [0, 1, 2].flatMap((left) =>
    [0, 1, 2, 3].map((values) =>
      [...Array(8).keys()].filter((person) => {
        const [one = 0, other = 0] = [0, 1, 2].filter((trait) => trait !== 2 - left);
        return ((person >> one) & 1) === (values & 1) && ((person >> other) & 1) === values >> 1;
      }),
    ),
  );
  const told = pairs.map((_, index) => ({ buyers: (index % 3) - 1, sum: 17 * (index % 4) }));
  const total = 2;
  const chance = (noise: number, scale: number): number => Math.exp(-Math.abs(noise) / scale);
  const expected = Array.from({ length: 8 }, () => [0, 0, 0]);
  for (let index = 0; index < 3 ** 8; index++) {
    const digits = index.toString(3).padStart(8, '0').split('').map(Number);
    let weight = 1;
    pairs.forEach((members, group) => {
      const amounts = members.map((person) => spent[digits[person] ?? 0] ?? 0);
      const { buyers = 0, sum = 0 } = told[group] ?? {};
      weight *= chance(buyers - amounts.filter(Boolean).length, 6 / total);
      weight *= chance(sum - amounts.reduce((a, b) => a + b, 0), (50 * 6) / total);
    });
    digits.forEach((digit, person) => {
      const row = expected[person] ?? [];
      row[digit] = (row[digit] ?? 0) + weight;
    });
  }
  const found = marginals(told, total);
  const shares = (rows: readonly (readonly number[])[]): readonly (readonly number[])[] =>
    rows.map((row) => row.map((weight) => weight / row.reduce((a, b) => a + b, 0)));
  shares(expected).forEach((row, person) =>
    row.forEach((share, amount) => expect(shares(found)[person]?.[amount]).toBeCloseTo(share, 12)),
  );
});

test('without noise, linked releases give away as much as counting all of them says', () => {
  // The person has good 0. Others: a list of four for each release; by symmetry, the lists decide alone.
  const goods = 6;
  const counts = new Map<string, number>();
  for (let index = 0; index < goods ** 4; index++) {
    const row = Array<number>(goods).fill(0);
    row[0] = 1;
    for (let other = 0, rest = index; other < 4; other++, rest = Math.floor(rest / goods))
      row[rest % goods] = (row[rest % goods] ?? 0) + 1;
    counts.set(row.join(), (counts.get(row.join()) ?? 0) + 1 / goods ** 4);
  }
  const guessed = (weights: readonly number[]): number => {
    const most = Math.max(...weights);
    return weights[0] === most ? 1 / weights.filter((weight) => weight === most).length : 0;
  };
  const rows = [...counts].map(([key, chance]) => ({ row: key.split(',').map(Number), chance }));
  let [one, both] = [0, 0];
  for (const first of rows) {
    one += first.chance * guessed(first.row);
    for (const second of rows)
      both +=
        first.chance *
        second.chance *
        guessed(first.row.map((count, good) => count * (second.row[good] ?? 0)));
  }
  const found = measured(measureAttack(linkage, null, 1500, random));
  [one, both].forEach((share, index) => {
    expect(share).toBeGreaterThan((found[index]?.low ?? 0) - 0.01);
    expect(share).toBeLessThan((found[index]?.high ?? 0) + 0.01);
  });
});

describe('sites that compare their reports of one conversion', () => {
  const adTechs = ['adtech', 'other', 'third'];

  /** The chance of the best guess from all that the device sends, over every way that its decisions can fall. */
  async function guessed(joint: number | null): Promise<number> {
    const { settings } = configured('', { budget: joint === null ? {} : { joint: jointly(joint) } });
    const seen = adTechs.map((adTech, index) =>
      shown(1 + index, 1 + index, `news-${index}`, 'shop', { adTech }),
    );
    const worlds: readonly World[] = [
      seen,
      [...seen, ...adTechs.map((adTech) => bought(5, 'shop', { adTech }))],
    ];
    const circumstances = {
      ...{ settings, limits: chromiumLimits, registered: epsilon(1), shape: view },
      ...{ debugAllowed: false, answers: [], caches: new Caches() },
    };
    const [without, having] = await Promise.all(
      worlds.map((world) =>
        distributionOf((source) => observe(world, circumstances, 'everyone', source), 100),
      ),
    );
    const chances = (found: Distribution | undefined, output: string): number =>
      Number((found?.get(output)?.lower ?? 0n) >> BigInt(PRECISION - 60)) / 2 ** 60;
    return [...new Set([...(without?.keys() ?? []), ...(having?.keys() ?? [])])].reduce(
      (sum, output) => sum + Math.max(chances(without, output), chances(having, output)) / 2,
      0,
    );
  }

  test.each([
    [null, 3],
    [3, 3],
    [2, 2],
    [1.5, 1],
    [0.5, 0],
  ])('know with a joint budget of %s what a vote of %s sites knows', async (joint, sites) => {
    if (joint !== null) expect(sitesWithin(joint, 1)).toBe(sites);
    expect(await guessed(joint)).toBeCloseTo(majority(sites, belief(1 / 2, 1, 1)), 12);
  });

  test('learn more as they become more, and one site reaches the bound', () => {
    const [one = 0, all = 0, jointly = 0] = collusion.exact?.(1) ?? [];
    expect(one).toBeCloseTo(Math.E / (1 + Math.E), 12);
    expect(all).toBeGreaterThan(jointly);
  });
});

describe('a label in two models', () => {
  const labelsOf = (bits: number): readonly number[] =>
    Array.from({ length: 12 }, (_, person) => (person < 6 ? (bits >> person) & 1 : Number(person < 8)));

  /** The chance of the best guess from all that a model predicts, over all labels of the canary's campaign. */
  function guessed(size: 'small' | 'large', value: number | null): number {
    const kept = value === null ? 1 : belief(1 / 2, value, 1);
    const ofOthers = kept / 4 + (1 - kept) * (3 / 4);
    const chances = new Map<string, number[]>();
    for (let bits = 0; bits < 2 ** 6; bits++) {
      const labels = labelsOf(bits);
      const others = labels
        .slice(1, 6)
        .reduce((product, label) => product * (label === 1 ? ofOthers : 1 - ofOthers), 1);
      const shown = trainedOn(labels, size).map((odds) => odds.toFixed(6));
      const found = chances.get(shown.join()) ?? [0, 0];
      chances.set(
        shown.join(),
        found.map((sum, secret) => sum + others * (labels[0] === secret ? kept : 1 - kept)),
      );
    }
    return [...chances.values()].reduce((sum, ofSecret) => sum + Math.max(...ofSecret) / 2, 0);
  }

  test.each(EPSILONS)('at ε = %s, all predictions together tell no more than is read back', (value) => {
    const [small = NaN, large = NaN] = memorization.exact?.(value) ?? [];
    expect(guessed('small', value)).toBeCloseTo(small, 9);
    expect(guessed('large', value)).toBeCloseTo(large, 9);
    expect(large).toBeGreaterThan(small);
  });

  test('is read back whatever the labels are, also if all are the same', () => {
    for (const random of [1, 2, 3].map((stream) => seededRandomStreams('labels')(stream))) {
      const { tables } = memorization.trial(null, random);
      const [, guesses] = tables;
      expect(guesses?.rows[1]?.slice(1)).toEqual([guesses?.rows[1]?.[1], guesses?.rows[1]?.[1], 1]);
    }
    // A model that says the same of everybody was trained on equal labels.
    for (const label of [0, 1])
      expect(new Set(trainedOn(Array<number>(12).fill(label), 'large').map(Math.sign))).toEqual(
        new Set([label === 1 ? 1 : -1]),
      );
  });
});

describe('cointoss attack', () => {
  const lines = async (...words: readonly string[]): Promise<readonly unknown[]> => {
    out.length = 0;
    expect(await main(['attack', ...words])).toBe(0);
    return out
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };

  test('names all attacks', async () => {
    expect(await main(['attack'])).toBe(0);
    expect(out.map((line) => line.split(':')[0])).toEqual(Object.keys(attacks));
  });

  test('gives the same for a seed', async () => {
    const words = ['linkage', '--epsilon', '2,none', '--trials', '20', '--seed', '1'];
    const found = await lines(...words);
    expect(found).toHaveLength(4);
    expect(await lines(...words)).toEqual(found);
  });

  test.each([
    [
      ['nobody'],
      'attack: must be one of reconstruction, differencing, linkage, population, collusion, memorization, was "nobody"',
    ],
    [['linkage', '--epsilon', '0'], 'attack: --epsilon: must be from 0.01 to 100, or "none", was "0"'],
    [['linkage', '--epsilon', ''], 'attack: --epsilon: must have at least one ε, such as 1, was ""'],
    [['linkage', '--trials', '1'], 'attack: --trials must be an integer from 10 to 1000000, was "1"'],
  ])('%j is refused', async (words, message) => {
    expect(await main(['attack', ...words])).toBe(2);
    expect(err.join('')).toContain(message);
  });
});
