import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { costs } from '../helpers/costs/costs';
import { entrancesIn } from '../helpers/costs/entrances';
import { knownEntrances } from '../helpers/costs/known-entrances';
import { filesOf } from '../helpers/costs/sources';
import { root } from '../../../node/root';
import { functionsAtEntrances, IN_PAGES } from '../helpers/costs/functions';
import { growthBetween, growthOf, timeOf } from '../helpers/costs/measure';
import type { Measurements } from '../helpers/costs/program';
import { unreached } from '../helpers/costs/unreached';
import { Fields } from '../../../formats/codec/record';
import { parse } from '../../../formats/codec/issues';
import type { JsonObject } from '../../../src/model/json';
import { fuzzedParsers } from '../helpers/fuzz/parsers';

/*
 * Whatever pages, servers, files and links supply takes linear time. How this list of functions is known to be complete:
 *
 * 1. `entrancesIn` finds in the source each call that brings in something of others: listeners of the browser's events and messages, fetched
 *    answers, files, addresses, routes of the collector. Each stands in `knownEntrances`, with what bounds it and the functions that read it.
 *    So a new one fails here until somebody has written both down.
 * 2. Each of these functions is in `costs`, `fuzzedParsers` or `grownFiles`, and measured as it is called, so what it calls is measured, too.
 * 3. The background itself, a collector and the commands get texts wherever something of others comes in, and are measured, too. V8 says
 *    which functions run meanwhile. A new one that goes over something fails until a text reaches it, or it stands in `unreached` with
 *    the reason.
 * 4. What runs in pages is measured there: `content-cost.test.ts` and `pages-cost.test.ts` count the blocks of each function that run in Chrome for
 *    four times as much. Of content scripts, and in `npm run soak` of all of `extension/pages`, they fail for a function that goes over
 *    something and did not run, unless it stands there, or in `unreached-in-pages.ts`, with the reason; and for one that stands there and ran.
 * 5. `regular-expressions.test.ts` reads every regular expression, whoever calls it.
 *
 * `npm run soak -- fuzz` measures up to 2 MB.
 */

/** @param what kinds of input, and up to how many characters of each */
async function measured(...what: readonly string[]): Promise<Measurements> {
  const program = require.resolve('../helpers/costs/program.ts');
  const given = [
    '--max-old-space-size=256',
    '--expose-gc',
    '--liftoff-only',
    '--import',
    'tsx',
    program,
    ...what,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, given, { maxBuffer: 1e8 });
  return JSON.parse(stdout) as Measurements;
}

describe('what others supply', () => {
  let found: Measurements;
  beforeAll(async () => void (found = await measured('texts', '8000', 'entrances', '4000')));

  test('no function takes more than three times as long for twice the text, nor much memory', () => {
    expect(found['texts']?.found).toEqual([]);
    expect(found['texts']?.megabytes).toBeLessThan(600);
  });

  test('nor does the background, a collector or a command, wherever it comes in', () => {
    expect(found['entrances']?.found).toEqual([]);
  });

  test('every function that goes over something has run meanwhile, or is known not to see it', () => {
    // For a new one, add a shape to helpers/costs that reaches it. If it sees nothing of others, write it into unreached.ts.
    const known = unreached.flatMap(({ functions }) =>
      functions.flatMap((one) => {
        const [file = '', names = ''] = one.split(': ');
        return names.split(' ').map((name) => `${file}: ${name}`);
      }),
    );
    const hasRun = (one: string): boolean => {
      const [file = '', name = ''] = one.split(': ');
      return Object.values(found).some(({ reached }) => reached[file]?.includes(name));
    };
    const all = functionsAtEntrances((file) => !IN_PAGES.test(file));
    expect(all.filter((one) => !known.includes(one) && !hasRun(one))).toEqual([]);
    expect(known.filter((one) => !all.includes(one))).toEqual([]);
  });
});

test('no list of others becomes the arguments of a call, which fails for some 100,000', () => {
  const isSpread = (line: string): boolean =>
    /(Math\.(min|max)|\.(push|unshift)|fromCharCode)\((.*, )?\.\.\./.test(line);
  const found = filesOf()
    .filter((file) =>
      /^(src|recording|formats|words|w3c|extension|ui|analysis|collector|cli|node)\//.test(file),
    )
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n').filter(isSpread);
      return lines.map((line) => `${file}: ${line.trim()}`);
    });
  // Of bounded length: a hash, a piece of bytes, the fields of an object, one choice, the reports of a window, what one made-up user does,
  // the queries of a budget, 20 mistakes of a line, the value that a character completes; and the files of the collector's own journal.
  expect(found).toEqual([
    'analysis/optimize/summary-split.ts: const conversions = Math.max(...roomsOf(request.queries));',
    'analysis/optimize/summary-split.ts: const largest = parts.indexOf(Math.max(...parts));',
    'analysis/simulation/demo-month.ts: events.push(...conversion(user, impression, random));',
    'cli/simulate/part.ts: into.sources.push(`${JSON.stringify({ ...whose, ...source })}\\n`);',
    'cli/simulate/part.ts: for (const report of found.reports) into.lines.push(`${JSON.stringify({ ...whose, ...report })}\\n`);',
    'collector/demo/simulate-month.ts: reports.push(...(await reportsOf(number, seed, simulation)).reports);',
    'collector/demo/simulate-month.ts: rows.push(...simulated.rows);',
    'collector/demo/simulate-month.ts: reports.push(...simulated.reports);',
    'collector/intake/read-sources.ts: issues.push(...errors.map((issue) => ({ line, ...english.worded(issue) })));',
    'collector/store/journal.ts: this.#next = Math.max(known.part, ...this.parts()) + 1;',
    'extension/store/hidden-names.ts: return String.fromCharCode(...hash.subarray(0, KEY_LENGTH));',
    'formats/codec/base64-url.ts: text += String.fromCharCode(...bytes.subarray(start, start + PIECE));',
    'node/json-list.ts: if (this.read(character)) rows.push(...this.complete(text.slice(from, index)));',
    'src/limits/destination-claims.ts: if (claimed === undefined) all.push(withClaim({ destination, ...UNCLAIMED }, source));',
    'src/privacy/uniform.ts: while (rest.length > 0) shuffled.push(...rest.splice(Number(uniformBelow(random, BigInt(rest.length))), 1));',
    'src/states/report-space.ts: placed.push(...new Array<number>(here).fill(window));',
  ]);
});

const loop = (steps: number): number => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum += step % 7;
  return sum;
};

test.each<[string, (size: number) => number]>([
  ['linear', (size) => 200 * size],
  ['linear with a logarithm', (size) => 20 * size * Math.log2(size)],
])('growth that is %s is not told', async (_, steps) => {
  expect(await growthOf(steps, loop, 64_000)).toBeNull();
});

/** In place of what the system says that this process used. */
class Processor {
  private used = 0;
  private readonly usage = jest
    .spyOn(process, 'cpuUsage')
    .mockImplementation((before) => ({ user: this.used - (before?.user ?? 0), system: 0 }));

  work(microseconds: number): void {
    this.used += microseconds;
  }

  stop(): void {
    this.usage.mockRestore();
  }
}

test('growth that is quadratic is told', async () => {
  const processor = new Processor();
  const quadratic = (steps: number): void => processor.work(steps);
  expect(await growthOf((size) => size ** 2 / 20, quadratic, 64_000)).not.toBeNull();
  processor.stop();
});

test('the time of a call is that of the processor', async () => {
  const steps = (size: number): number => size;
  expect(await timeOf(steps, loop, 5e7)).toBeGreaterThan(10);
  const processor = new Processor();
  const waiting = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    processor.work(3000);
  };
  expect(await timeOf(steps, waiting, 1)).toBe(3);
  processor.stop();
});

// Such times as the loop would have, which takes ten seconds.
test.each<[string, (size: number) => number, boolean]>([
  ['linear', (size) => size / 5000, false],
  ['linear with a logarithm', (size) => (size * Math.log2(size)) / 50_000, false],
  ['quadratic', (size) => size ** 2 / 2e7, true],
  ['cubic', (size) => size ** 3 / 1e11, true],
])('growth of times that is %s is told', async (_, timeAt, isTold) => {
  const found = await growthBetween((size) => Promise.resolve(timeAt(size)), 1000, 64_000);
  expect(found === null).toBe(!isTold);
});

test('linear time is not told, although garbage is collected in each of five tries in a row', async () => {
  const calls = new Map<number, number>();
  const timeAt = (size: number): Promise<number> => {
    const count = (calls.get(size) ?? 0) + 1;
    calls.set(size, count);
    const hasCollected = size === 512_000 || (size === 128_000 && count <= 9);
    return Promise.resolve(size / 11_000 + (hasCollected ? 70 : 0));
  };
  expect(await growthBetween(timeAt, 32_000, 512_000)).toBeNull();
  expect(calls.get(512_000)).toBeGreaterThan(5);
});

test('an object is read name by name in linear time', async () => {
  const namesOf = (size: number): JsonObject =>
    Object.fromEntries(Array.from({ length: size / 4 }, (_, index) => [`n${index}`, index]));
  const read = (json: JsonObject): unknown =>
    parse(json, (place) => {
      const fields = new Fields(place);
      // Half of them are nobody's.
      for (const name of fields.names()) if (name.endsWith('1')) fields.optional(name, (at) => at.value, 0);
      fields.warnUnknown();
    });
  expect(await growthOf(namesOf, read, 256_000)).toBeNull();
});

test('every place where something of others comes in is known, with what bounds it', () => {
  // Write a new one into helpers/costs/known-entrances.ts, with the functions that read it, and those into costs.ts.
  expect(entrancesIn()).toEqual(knownEntrances.flatMap(({ at }) => at).sort());
});

test('what reads it is measured', () => {
  const measured = new Set([...Object.keys(costs), ...Object.keys(fuzzedParsers), 'grown files']);
  expect(knownEntrances.flatMap(({ readBy }) => readBy).filter((name) => !measured.has(name))).toEqual([]);
});
