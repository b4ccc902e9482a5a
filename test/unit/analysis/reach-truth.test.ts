import { readFileSync } from 'node:fs';
import { seededRandomSource } from '../../../analysis/random/sources';
import { main } from '../../../cli/main';
import { reachLine, type ReachNumber } from '../../../collector/http/posted-reach';
import { parse } from '../../../formats/codec/issues';
import type { JsonObject } from '../../../src/model/json';
import { uniformBelow } from '../../../src/privacy/uniform';
import { useCommands } from '../helpers/command';
import { pageTable } from '../helpers/rendered-pages';
import { expectNumbers, expectPlain, type Compared, type Language } from '../helpers/shown-numbers';

/*
 * Impressions of known people: every number of `reach` is compared with how many there are, and every number of the dashboard's table with that of
 * the row. The noise is the same in each run.
 */

const { out, err, file, pathOf } = useCommands();

const campaigns = ['large', 'small', 'nobody'] as const;
const MOST = 3;

/** For each campaign, how many impressions each of its people has. */
const seen: Readonly<Record<string, Map<string, number>>> = {
  large: new Map(),
  small: new Map(),
  nobody: new Map(),
};
const random = seededRandomSource('reach truth', 0);
const below = (bound: number): number => Number(uniformBelow(random, BigInt(bound)));
const lines = Array.from({ length: 900 }, () => {
  const campaign = below(4) === 0 ? 'small' : 'large';
  const person = `person ${below(400)}`;
  const people = seen[campaign];
  people?.set(person, (people.get(person) ?? 0) + 1);
  return `${person},${campaign},site ${below(2)}\n`;
});

interface Row extends Pick<ReachNumber, 'estimate' | 'low' | 'high' | 'share' | 'share_low' | 'share_high'> {
  readonly quantity: 'reach' | 'frequency' | 'at-least';
  readonly impressions: number | null;
  readonly campaign: string;
}

function truthOf({ quantity, impressions, campaign }: Row): {
  readonly people: number;
  readonly share: number;
} {
  const counts = [...(seen[campaign]?.values() ?? [])];
  const wanted = impressions ?? 1;
  const people = counts.filter((count) =>
    quantity === 'frequency' ? count === wanted : count >= wanted,
  ).length;
  return { people, share: people / counts.length };
}

const reach = async (
  by: string,
  level: number,
  ...more: string[]
): Promise<readonly (Row & JsonObject)[]> => {
  out.length = 0;
  const given = file('groups.csv', `campaign${by === 'flipped-sketch' ? ',site' : ''}\n${groupsOf(by)}`);
  const noise = ['--epsilon', '6', '--cap', '3', '--groups', given, '--seed', 'truth', '--registers', '4096'];
  const args = [
    ...['reach', '--sources', file('log.csv', `user,campaign,site\n${lines.join('')}`), '--by', by],
    ...['--publisher', 'site', '--group-by', 'campaign', '--frequencies', String(MOST)],
    ...['--level', String(level), ...(by === 'exact' ? [] : noise), ...more],
  ];
  if ((await main(args)) !== 0) throw new Error(err.join(''));
  return out.map((line) => JSON.parse(line) as Row & JsonObject);
};

const groupsOf = (by: string): string =>
  campaigns
    .flatMap((name) => (by === 'flipped-sketch' ? [`${name},site 0\n`, `${name},site 1\n`] : [`${name}\n`]))
    .join('');

/** The rows whose interval does not hold the truth. */
const wrong = (rows: readonly Row[]): readonly object[] =>
  rows.filter((row) => {
    const { people, share } = truthOf(row);
    const { low, high, share: found, share_low: least, share_high: most } = row;
    const isShareRight =
      found === null || ((least ?? NaN) <= share + 1e-12 && share - 1e-12 <= (most ?? NaN));
    return !(low <= people && people <= high && isShareRight);
  });

describe.each(['exact', 'discrete-laplace', 'sketch', 'flipped-sketch'])('reach by %s', (by) => {
  test('holds the truth with every number, which has a width if there is noise', async () => {
    const rows = await reach(by, 1 - 1e-10);
    const each = by === 'flipped-sketch' ? 1 : 1 + 2 * (MOST - 1);
    // Without noise, a group that nobody is in is not in the data.
    expect(rows).toHaveLength(each * (by === 'exact' ? 2 : 3));
    expect(wrong(rows)).toEqual([]);
    for (const { low, high, estimate, share, share_low: least, share_high: most } of rows) {
      expect([low <= estimate, estimate <= high, high > low]).toEqual([true, true, by !== 'exact']);
      if (share !== null && by !== 'exact') expect(most ?? NaN).toBeGreaterThan(least ?? NaN);
    }
  });

  test.each<Language>(['en', 'de'])(
    'is shown as it is, in a file and in the language %s',
    async (language) => {
      const shown: Compared = { count: 0 };
      const rows = await reach(by, 0.95);
      // At the usual level nearly all hold.
      expect(wrong(rows).length).toBeLessThan(3);
      await reach(by, 0.95, '--output', pathOf('reach.ndjson'));
      const written = readFileSync(pathOf('reach.ndjson'), 'utf8').trim().split('\n');
      expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(rows);
      const posted = rows.flatMap((row) => parse(row, reachLine).value ?? []);
      const table = await pageTable('reached', language, {
        reach: { received_time: new Date(0), rows: posted },
      });
      for (const [name, ...cells] of table.slice(1))
        expectCells(
          shown,
          posted.filter(({ group }) => group[0]?.[1] === name),
          cells,
          language,
        );
      // Exact numbers are of two groups, whose intervals have no width.
      expect(shown.count).toBeGreaterThan(by === 'flipped-sketch' ? 8 : by === 'exact' ? 11 : 15);
    },
  );
});

/** The people, their interval, and those with more impressions, with their share of all people and its interval. */
function expectCells(
  shown: Compared,
  rows: readonly ReachNumber[],
  [people = '', interval = '', ...further]: readonly string[],
  language: Language,
): void {
  expect(further).toHaveLength(rows.length - 1);
  for (const { impressions, estimate, low, high, share, share_low: least, share_high: most } of rows) {
    const where = `${impressions} or more`;
    const cell = impressions === 1 ? people : (further[impressions - 2] ?? '');
    if (impressions === 1 && low === high) expectPlain(shown, where, interval, low, language);
    else if (impressions === 1) expectNumbers(shown, where, interval, [low, high], language);
    const [, ofAll = ''] = cell.split(':');
    if (share !== null && least === most) {
      // An interval without a width is one number.
      expectPlain(shown, where, cell, estimate, language);
      expectPlain(shown, where, ofAll, share, language);
    } else if (share !== null) expectNumbers(shown, where, cell, [estimate, share, least, most], language);
    else if (impressions === 1 || low === high) expectPlain(shown, where, cell, estimate, language);
    else expectNumbers(shown, where, cell, [estimate, low, high], language);
  }
}
