import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateUser } from '../analysis/simulation/generate';
import { ByteSource } from '../cli/byte-source';
import { cutLog, filesToCut } from '../cli/log-ranges';
import { simulatedReports, works, type Parts } from './simulate-works';

/** For a run of all parts. */
const USERS = 2_000;
const ROUNDS = 7;

type WorkName = keyof typeof works;

/**
 * Processor time of what a thread of `simulate` does with a log, as a multiple of reading and parsing the same lines. Each is done once, by a process
 * of its own that starts cold, as a thread does.
 */
export async function benchSimulateWorker(users = USERS): Promise<void> {
  const [, , work, log, reports] = process.argv;
  if (work !== undefined && log !== undefined && reports !== undefined)
    await measureHere(work as WorkName, log, reports);
  else await compareWorks(users);
}

async function measureHere(name: WorkName, log: string, reports: string): Promise<void> {
  const work = await works[name](partsOf(log), reports);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  console.log(user + system);
}

async function compareWorks(users: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const [log, reports] = [join(folder, 'log.ndjson'), join(folder, 'reports.ndjson')];
    const lines = Array.from({ length: users }, (_, user) => generateUser('bench', user)).flat();
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    writeFileSync(reports, await simulatedReports(partsOf(log)));
    // In turns, and the least counts: whatever else the machine does only adds to it.
    const least = new Map<WorkName, number>();
    for (let round = 0; round < ROUNDS; round++)
      for (const name of Object.keys(works) as WorkName[])
        least.set(name, Math.min(least.get(name) ?? Infinity, measure(name, log, reports) / lines.length));
    console.log(`a thread of simulate, with the logs of ${users} users (${lines.length} lines)`);
    const base = least.get('parse') ?? NaN;
    for (const [name, text] of Object.entries(texts)) {
      const time = least.get(name as WorkName) ?? NaN;
      const ratio = (time / base).toPrecision(3);
      console.log(
        `  ${text.padEnd(48)} ${time.toPrecision(3)} µs of a processor for each line, ratio ${ratio}`,
      );
    }
    console.log();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const texts: Readonly<Record<WorkName, string>> = {
  parse: 'read and parse',
  write: 'read, parse, and write as many reports',
  decide: 'read and decide, with a store that keeps nothing',
  simulate: 'simulate',
};

function partsOf(log: string): Parts {
  return [...cutLog(filesToCut([new ByteSource(log)]) ?? [])];
}

/** In microseconds. */
function measure(name: WorkName, log: string, reports: string): number {
  const [, bundle = ''] = process.argv;
  const { stdout, stderr, status } = spawnSync(process.execPath, [bundle, name, log, reports], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}
