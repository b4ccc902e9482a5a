import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateUser } from '../analysis/simulation/generate';
import { replaySettings } from '../analysis/scenario/scenario';
import { ByteSource } from '../cli/byte-source';
import { cutLog, filesToCut, type ByteRange } from '../cli/log-ranges';
import { PartSimulator } from '../cli/simulate-part';
import { readPart } from '../cli/simulate-read';
import { wholeLog } from '../cli/sharding';

/** For a run of all parts. */
const USERS = 2_000;
const SERIES = 8;

/** Processor time of what a thread of `simulate` does with the parts of a log, as a multiple of reading and parsing the same lines. */
export async function benchSimulateWorker(users = USERS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const log = join(folder, 'log.ndjson');
    const lines = Array.from({ length: users }, (_, user) => generateUser('bench', user)).flat();
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const parts = [...cutLog(filesToCut([new ByteSource(log)]) ?? [])];
    const simulator = await PartSimulator.with({
      shard: wholeLog,
      settings: replaySettings,
      noise: true,
      allocation: 'per-cap',
      matching: null,
      seed: '1',
      withUsers: false,
      sourceEpsilon: null,
      channel: null,
      compression: 'none',
      sourcesCompression: null,
    });
    const simulate = async (ranges: readonly ByteRange[]): Promise<void> =>
      void (await simulator.simulate(readPart({ kind: 'ranges', ranges }, () => true)));
    const [parsed, simulated]: [number[], number[]] = [[], []];
    for (let index = 0; index < SERIES; index++) {
      parsed.push(await processorTime(() => parse(log)));
      simulated.push(
        await processorTime(async () => {
          for (const part of parts) await simulate(part);
        }),
      );
    }
    // The least: whatever else the machine does only adds to it.
    const perLine = (milliseconds: readonly number[]): number =>
      (1000 * Math.min(...milliseconds)) / lines.length;
    console.log(`a thread of simulate, with the logs of ${users} users (${lines.length} lines)`);
    console.log(
      `  read and parse              ${perLine(parsed).toPrecision(3)} µs of a processor for each line`,
    );
    console.log(`  simulate                    ${perLine(simulated).toPrecision(3)} µs`);
    console.log(`  ratio                       ${(perLine(simulated) / perLine(parsed)).toPrecision(3)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parse(log: string): void {
  for (const line of readFileSync(log, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
}

/** In milliseconds, of all threads. */
async function processorTime(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
