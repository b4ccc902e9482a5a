import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCsvMapping } from '../analysis/simulation/csv-mapping';
import { generateUser } from '../analysis/simulation/generate';
import { accept, readJson } from '../cli/io/input';
import { InputFiles } from '../cli/io/input-files';
import { mappedLines, Progress, type RawLine } from '../cli/simulate/lines';
import { root } from '../node/root';
import { ROWS_PER_USER, writeLog } from './made-up-log';
import { partsOf } from './parsed-log';
import { simulatedReports, works } from './simulate-works';

/** For a run of all parts. */
const USERS = 2_000;
const ROUNDS = 3;
/** How often a process does its work. The first time is cold, as a thread of `simulate` is when it starts; the last is what a long log costs. */
const PASSES = 4;

type WorkName = keyof typeof works;

const titles: Readonly<Record<WorkName, string>> = {
  parse: 'read and parse',
  write: 'read, parse, and write as many reports',
  decide: 'decide, with a store that keeps nothing',
  simulate: 'simulate',
};

/**
 * Processor time of what a thread of `simulate` does with a log, as a multiple of reading and parsing the same lines, each in processes of its own.
 */
export async function benchSimulateWorker(users = USERS, words: readonly string[] = []): Promise<void> {
  const [, , work, log, reports] = process.argv;
  if (work !== undefined && log !== undefined && reports !== undefined)
    await measureHere(work as WorkName, log, reports);
  else await compareWorks(users, words.includes('map'));
}

/** Prints the microseconds of each pass. */
async function measureHere(name: WorkName, log: string, reports: string): Promise<void> {
  const work = await works[name](partsOf(log), reports);
  for (let pass = 0; pass < PASSES; pass++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    console.log(user + system);
  }
}

async function compareWorks(users: number, isMapped: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const [log, reports] = [join(folder, 'log.ndjson'), join(folder, 'reports.ndjson')];
    const lines = isMapped
      ? await mappedEvents(folder, users)
      : Array.from({ length: users }, (_, user) => generateUser('bench', user)).flat();
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    writeFileSync(reports, await simulatedReports(partsOf(log)));
    const times = leastTimes(log, reports);
    console.log(`a thread of simulate, with the logs of ${users} users (${lines.length} lines)`);
    console.log('  µs of a processor for each line, and its ratio: from a cold start; in a long run');
    for (const name of namesOfWorks()) {
      const shown = [0, PASSES - 1].map((pass) => {
        const time = (times.get(name)?.[pass] ?? NaN) / lines.length;
        const parsed = (times.get('parse')?.[pass] ?? NaN) / lines.length;
        return `${time.toPrecision(3).padStart(6)} ${(time / parsed).toPrecision(3).padStart(6)}`;
      });
      console.log(`  ${titles[name].padEnd(40)} ${shown.join('    ')}`);
    }
    console.log();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a map makes of a log with the columns of Criteo's data, as `simulate --map` hands it to its threads. */
async function mappedEvents(folder: string, users: number): Promise<readonly object[]> {
  const [log, map] = [join(folder, 'log.tsv'), join(root, 'scenarios/criteo-attribution.map.json')];
  writeLog(log, Math.ceil(users * ROWS_PER_USER));
  const mapping = accept(map, parseCsvMapping(readJson(map)));
  const events: RawLine[] = [];
  const how = { file: map, mapping, csv: false, skipInvalid: false };
  for await (const lines of mappedLines(new InputFiles([log]), how, new Progress(), () => true))
    events.push(...lines);
  events.sort((a, b) =>
    a.user === b.user ? a.time - b.time || a.sequence - b.sequence : a.user < b.user ? -1 : 1,
  );
  return events.map(({ user, text }) => ({ user, ...(JSON.parse(text) as object) }));
}

/** Of each pass. Each kind of work has its turn in each round, and the least counts: whatever else the machine does only adds to it. */
function leastTimes(log: string, reports: string): ReadonlyMap<WorkName, readonly number[]> {
  const least = new Map<WorkName, readonly number[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const name of namesOfWorks()) {
      const before = least.get(name) ?? [];
      least.set(
        name,
        measure(name, log, reports).map((time, pass) => Math.min(time, before[pass] ?? Infinity)),
      );
    }
  return least;
}

// Its keys are the names.
const namesOfWorks = (): readonly WorkName[] => Object.keys(titles) as WorkName[];

function measure(name: WorkName, log: string, reports: string): readonly number[] {
  const [, bundle = ''] = process.argv;
  const { stdout, stderr, status } = spawnSync(process.execPath, [bundle, name, log, reports], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').map(Number);
}
