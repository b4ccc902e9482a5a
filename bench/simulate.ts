import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
for (const file of process.argv.slice(1))
  for await (const line of createInterface({ input: createReadStream(file) })) JSON.parse(line);`;
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

/** Time and memory of `simulate` with one thread and two, and of `estimate`, as multiples of reading and parsing their logs. */
export function benchSimulate(users = USERS): void {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  try {
    const [log, nobody] = [join(folder, 'log.ndjson'), join(folder, 'empty.ndjson')];
    measure(SIMULATE, 'generate', '--users', String(users), '--output', log);
    writeFileSync(nobody, '');
    const parsed = measure(READ_AND_PARSE, log);
    const simulate = (input: string, threads: number): Measured => {
      const files = ['--input', input, '--output', join(folder, 'reports.ndjson')];
      return measure(SIMULATE, 'simulate', ...files, '--seed', '1', '--threads', String(threads));
    };
    const [start, one, two] = [simulate(nobody, 1), simulate(log, 1), simulate(log, 2)];
    const [reports, sources] = [join(folder, 'reports.ndjson'), join(folder, 'sources.ndjson')];
    const output = ['--output', reports, '--sources-output', sources];
    measure(SIMULATE, 'simulate', '--input', log, ...output, '--seed', '1');
    const files = ['--reports', reports, '--sources', sources, '--output', join(folder, 'estimates.csv')];
    const estimated =
      measure(SIMULATE, 'estimate', ...files).cpu / measure(READ_AND_PARSE, reports, sources).cpu;
    console.log(`simulate the logs of ${users} users (${(statSync(log).size / MEBIBYTE).toFixed(0)} MiB)`);
    console.log(`  read and parse              ${parsed.cpu.toFixed(2)} s of a processor`);
    console.log(`  simulate nobody             ${start.cpu.toFixed(2)} s`);
    console.log(`  simulate, one thread        ${one.cpu.toFixed(2)} s`);
    console.log(`  of these, the first thread  ${((100 * one.first) / one.cpu).toPrecision(2)} %`);
    console.log(`  simulate, two threads       ${two.cpu.toFixed(2)} s`);
    console.log(`  ratio, one thread           ${(one.cpu / parsed.cpu).toPrecision(3)}`);
    console.log(`  ratio, estimate             ${estimated.toPrecision(3)}`);
    console.log(`  two threads against one     ${(one.seconds / two.seconds).toPrecision(3)} times as fast`);
    // JavaScript's compiler and garbage collector work beside a thread, so one thread already uses more than one processor.
    const most = (2 * one.seconds) / two.cpu;
    console.log(`  at most, on two processors  ${most.toPrecision(3)} times`);
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
