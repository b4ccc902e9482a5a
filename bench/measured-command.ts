import { spawnSync } from 'node:child_process';
import { root } from '../node/root';

/** Runs a command in a process of its own, so that the memory is its own, too. */
export const COMMAND = `const { main } = await import('./dist/node/main.mjs');
process.exitCode = await main(process.argv.slice(1));`;
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

export interface Measured {
  /** From start to end. */
  readonly seconds: number;
  /** Of all processors. */
  readonly cpu: number;
  /** Of these, what the first thread used. */
  readonly first: number;
  readonly kibibytes: number;
}

/** @param program in JavaScript @throws Error with what it said, if it fails */
export function measure(program: string, ...args: readonly string[]): Measured {
  return measured(program, args, 'pipe');
}

/** Shows what the program says, such as its progress. @param exitCode with which it must end */
export const measureAloud = (program: string, args: readonly string[], exitCode = 0): Measured =>
  measured(program, args, 'inherit', exitCode);

function measured(
  program: string,
  args: readonly string[],
  stderr: 'pipe' | 'inherit',
  exitCode = 0,
): Measured {
  const node = ['--input-type=module', '--eval', `${MEASURED}${program}`, '--', ...args];
  const run = spawnSync(process.execPath, node, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
  });
  if (run.status !== exitCode) throw new Error(stderr === 'pipe' ? run.stderr : `${args.join(' ')}: failed`);
  return JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as Measured;
}

export const mebibytes = ({ kibibytes }: Measured): string => (kibibytes / 1024).toFixed(0);
