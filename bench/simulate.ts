import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../cli/main';
import { ByteSource } from '../cli/simulate-source';
import { linesOf } from '../node/lines';

/** For a run of all parts; the full size is 100,000 users. */
const USERS = 2_000;
const MEBIBYTE = 2 ** 20;

/** Memory and time of `simulate`. Time is a multiple of reading and parsing the log. */
export async function benchSimulate(users = USERS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const log = join(folder, 'log.ndjson');
    await main(['generate', '--users', String(users), '--output', log]);
    const parsed = await seconds(() => parseAll(log));
    const simulated = await seconds(() =>
      main(['simulate', '--input', log, '--output', join(folder, 'reports.ndjson'), '--seed', '1']),
    );
    console.log(`simulate the logs of ${users} users (${(statSync(log).size / MEBIBYTE).toFixed(0)} MiB)`);
    console.log(`  peak memory, all threads  ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`);
    console.log(`  read and parse            ${parsed.toFixed(1)} s`);
    console.log(`  simulate                  ${simulated.toFixed(1)} s`);
    console.log(`  ratio                     ${(simulated / parsed).toPrecision(3)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function parseAll(file: string): Promise<void> {
  for await (const lines of linesOf(new ByteSource(file).open()))
    for (const { value } of lines) JSON.parse(value);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
