import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../node/root';

/** For a run of all parts; the full size is 100,000 users. */
const USERS = 2_000;
const MEBIBYTE = 2 ** 20;
/** Each in a process of its own, so that the memory is its own, too. */
const SIMULATE = `const { main } = await import('./dist/node/main.mjs');
await main(process.argv.slice(1));`;
const READ_AND_PARSE = `const { createReadStream } = await import('node:fs');
const { createInterface } = await import('node:readline');
for await (const line of createInterface({ input: createReadStream(process.argv[1]) })) JSON.parse(line);`;
/** Linux tells the time of each thread, in ticks of 10 ms; that of other systems counts as none. */
const MEASURED = `const { readFileSync } = await import('node:fs');
const start = performance.now();
const ticks = (file) => readFileSync(file, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpu = (userCPUTime + systemCPUTime) / 1e6;
  const [user, system] = process.platform === 'linux' ? ticks('/proc/self/task/' + process.pid + '/stat') : [0, 0];
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ seconds, cpu, first: (user + system) / 100, kibibytes: maxRSS }));
});
`;

interface Measured {
  /** From start to end. */
  readonly seconds: number;
  /** Of all processors. */
  readonly cpu: number;
  /** Of these, what the first thread used. */
  readonly first: number;
  readonly kibibytes: number;
}

/** Time and memory of `simulate` with one thread and two, as multiples of reading and parsing the log. */
export function benchSimulate(users = USERS): void {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const log = join(folder, 'log.ndjson');
    measure(SIMULATE, 'generate', '--users', String(users), '--output', log);
    const parsed = measure(READ_AND_PARSE, log);
    const files = ['--input', log, '--output', join(folder, 'reports.ndjson'), '--seed', '1'];
    const [one, two] = ['1', '2'].map((threads) =>
      measure(SIMULATE, 'simulate', ...files, '--threads', threads),
    );
    if (one === undefined || two === undefined) return;
    console.log(`simulate the logs of ${users} users (${(statSync(log).size / MEBIBYTE).toFixed(0)} MiB)`);
    console.log(`  read and parse              ${parsed.cpu.toFixed(2)} s of a processor`);
    console.log(`  simulate, one thread        ${one.cpu.toFixed(2)} s of a processor`);
    console.log(`  of these, the first thread  ${((100 * one.first) / one.cpu).toPrecision(2)} %`);
    console.log(`  ratio                       ${(one.cpu / parsed.cpu).toPrecision(3)}`);
    console.log(`  two threads against one     ${(one.seconds / two.seconds).toPrecision(3)} times as fast`);
    console.log(`  peak memory, one thread     ${(one.kibibytes / 1024).toFixed(0)} MiB`);
    console.log(`  peak memory, two threads    ${(two.kibibytes / 1024).toFixed(0)} MiB\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(program: string, ...args: readonly string[]): Measured {
  const node = ['--input-type=module', '--eval', `${MEASURED}${program}`, '--', ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, node, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}
