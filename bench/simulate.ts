import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileProgram } from './compiled';
import { COMMAND, measure, mebibytes, type Measured } from './measured-command';

/** For a run of all parts; the full size is 100,000 users. */
const USERS = 2_000;
const MEBIBYTE = 2 ** 20;
const READ_AND_PARSE = `const { createReadStream } = await import('node:fs');
const { createInterface } = await import('node:readline');
for (const file of process.argv.slice(1))
  for await (const line of createInterface({ input: createReadStream(file) })) JSON.parse(line);`;

/**
 * Time and memory of `simulate` with one thread and two, beside threads that only read and parse, and write as many bytes; and threads that decide and
 * store nothing; and of `estimate`.
 */
export async function benchSimulate(users = USERS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  const file = (name: string): string => join(folder, name);
  try {
    const [log, reports] = [file('log.ndjson'), file('reports.ndjson')];
    measure(COMMAND, 'generate', '--users', String(users), '--output', log);
    writeFileSync(file('empty.ndjson'), '');
    await compileProgram("import './simulate-threads';", file('threads.mjs'));
    const simulate = (input: string, count: number): Measured =>
      measure(
        COMMAND,
        ...['simulate', '--input', input, '--output', reports, '--seed', '1', '--threads', String(count)],
      );
    const parsed = measure(READ_AND_PARSE, log);
    const start = simulate(file('empty.ndjson'), 1);
    console.log(`simulate the logs of ${users} users (${(statSync(log).size / MEBIBYTE).toFixed(0)} MiB)`);
    console.log(`  read and parse              ${parsed.cpu.toFixed(2)} s of a processor`);
    console.log(`  simulate nobody             ${start.cpu.toFixed(2)} s, ${mebibytes(start)} MiB`);
    console.log(`  Node alone                  ${mebibytes(measure(''))} MiB`);
    show('simulate', parsed, (count) => simulate(log, count));
    const bytes = String(statSync(reports).size);
    const floor = (work: string, input: string) => (count: number) =>
      measure(
        `process.argv.splice(1, 0, ''); await import(${JSON.stringify(file('threads.mjs'))});`,
        ...[work, input, String(count), file('floor.ndjson'), bytes],
      );
    show('decide, and store nothing', parsed, floor('decide', log));
    show('read, parse, and write as many bytes', parsed, floor('write', log));
    show('the same with nobody', parsed, floor('write', file('empty.ndjson')));
    benchEstimate(log, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function benchEstimate(log: string, file: (name: string) => string): void {
  const [reports, sources] = [file('reports.ndjson'), file('sources.ndjson')];
  const output = ['--output', reports, '--sources-output', sources];
  measure(COMMAND, 'simulate', '--input', log, ...output, '--seed', '1');
  const files = ['--reports', reports, '--sources', sources, '--output', file('estimates.csv')];
  const [read, estimated] = [
    measure(READ_AND_PARSE, reports, sources),
    measure(COMMAND, 'estimate', ...files),
  ];
  console.log(
    `  estimate        ${(estimated.cpu / read.cpu).toPrecision(3)} times reading and parsing both logs\n`,
  );
}

/**
 * On a busy machine only processor time means something, so it is printed beside the elapsed time. JavaScript's compiler and garbage collector work
 * beside a thread, so one thread already uses more than one processor.
 */
function show(what: string, parsed: Measured, run: (threads: number) => Measured): void {
  const [one, two] = [run(1), run(2)];
  const ratio = (a: number, b: number): string => (a / b).toPrecision(3);
  console.log(`  ${what}`);
  console.log(
    `    one thread    ${one.cpu.toFixed(2)} s of a processor, ${ratio(one.cpu, parsed.cpu)} times reading and parsing`,
  );
  console.log(`    of these, the first thread of Node  ${((100 * one.first) / one.cpu).toPrecision(2)} %`);
  console.log(
    `    two threads   ${ratio(one.seconds, two.seconds)} times as fast, with ${ratio(two.cpu, one.cpu)} times the processor time`,
  );
  console.log(`    peak memory   ${mebibytes(one)} MiB with one thread, ${mebibytes(two)} MiB with two`);
}
