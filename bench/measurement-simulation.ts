import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../node/root';
import { compileProgram } from './compiled';
import { androidInput, siteOf, type LogLine } from './measurement-simulation/android-input';
import { median } from './measure';

/*
 * `npm run bench -- measurement-simulation`: `simulate` and its floors next to Google's simulation library in Java on the same events, each on one core.
 * COINTOSS_MEASUREMENT_SIMULATION names its jar: measurement-simulation/README.md.
 */

const USERS = 300;
const ROUNDS = 3;
const COINTOSS = [process.execPath, path.join(root, 'cli/cointoss.mjs')];

interface Times {
  readonly elapsed: number;
  readonly cpu: number;
}

interface Report {
  readonly report_time: number | string;
  readonly payload: Readonly<Record<string, string>>;
}

/** One log in both forms. */
interface Log {
  readonly file: string;
  readonly folder: string;
  readonly events: number;
}

export async function benchMeasurementSimulation(users = USERS): Promise<void> {
  const jar = process.env['COINTOSS_MEASUREMENT_SIMULATION'];
  if (jar === undefined) {
    console.log(
      'left out, because COINTOSS_MEASUREMENT_SIMULATION names no jar: bench/measurement-simulation/README.md says how to build it',
    );
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-bench-'));
  try {
    await compareOn(folder, users, jar);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `simulate`, the same thread with less to do, and the library: what each took for one user and for all. */
async function compareOn(folder: string, users: number, jar: string): Promise<void> {
  const [one, many] = [madeUpLog(folder, 1), madeUpLog(folder, users)];
  const threads = path.join(folder, 'threads.mjs');
  await compileProgram("import './simulate-threads';", threads);
  const floor = (log: Log): Times => onOneCore(process.execPath, threads, 'decide', log.file, '1').times;
  let [mine, theirs]: [readonly Report[], readonly Report[]] = [[], []];
  const programs: readonly Program[] = [
    new Program('cointoss', (log) => {
      const { times, reports } = simulate(log);
      mine = reports;
      return times;
    }),
    new Program('decide, and store nothing', floor),
    new Program('measurement-simulation', (log) => {
      const { times, reports } = simulateInJava(log, jar);
      theirs = reports;
      return times;
    }),
  ];
  for (let round = 0; round < ROUNDS; round++) for (const program of programs) program.measure(one, many);
  console.log(
    `simulate ${users} users with ${many.events} events on one core, without noise; medians of ${ROUNDS} rounds`,
  );
  console.log(`  ${comparison(mine, theirs)}`);
  const java = programs.at(-1);
  for (const time of ['cpu', 'elapsed'] as const) {
    console.log(time === 'cpu' ? '  processor time' : '  elapsed time');
    for (const program of programs) {
      const { start, whole } = program.medians(time);
      const times = (java?.withoutStart(time) ?? NaN) / program.withoutStart(time);
      console.log(
        `    ${program.name.padEnd(28)} one user ${start.toFixed(2)} s, all users ${whole.toFixed(2)} s; ` +
          `without start-up measurement-simulation takes ${times.toPrecision(3)} times as long`,
      );
    }
  }
}

class Program {
  private readonly one: Times[] = [];
  private readonly many: Times[] = [];

  constructor(
    readonly name: string,
    private readonly run: (log: Log) => Times,
  ) {}

  measure(one: Log, many: Log): void {
    this.one.push(this.run(one));
    this.many.push(this.run(many));
  }

  medians(time: keyof Times): { readonly start: number; readonly whole: number } {
    const middle = (times: readonly Times[]): number => median(times.map((each) => each[time]));
    return { start: middle(this.one), whole: middle(this.many) };
  }

  withoutStart(time: keyof Times): number {
    const { start, whole } = this.medians(time);
    return whole - start;
  }
}

function madeUpLog(parent: string, users: number): Log {
  const file = path.join(parent, `${users}.ndjson`);
  onOneCore(...COINTOSS, 'generate', '--users', String(users), '--output', file);
  const folder = path.join(parent, String(users));
  mkdirSync(folder);
  const lines = linesOf(file).map((line) => JSON.parse(line) as LogLine);
  for (const user of new Set(lines.map((line) => line.user))) {
    const events = lines.filter((line) => line.user === user);
    writeFileSync(path.join(folder, `${user}.json`), androidInput(events));
  }
  return { file, folder, events: lines.length };
}

interface Run {
  readonly times: Times;
  readonly reports: readonly Report[];
}

function simulate({ file }: Log): Run {
  const output = `${file}.reports`;
  const options = ['--input', file, '--output', output, '--threads', '1', '--no-noise', '--seed', '1'];
  const { times } = onOneCore(...COINTOSS, 'simulate', ...options);
  return { times, reports: linesOf(output).map((line) => JSON.parse(line) as Report) };
}

function simulateInJava({ folder }: Log, jar: string): Run {
  const { times, stdout } = onOneCore('java', '-cp', jar, 'ManyUsers', folder);
  const reports = stdout
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { readonly event_reports: readonly Report[] }).event_reports);
  return { times, reports };
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);

function onOneCore(...command: readonly string[]): { readonly times: Times; readonly stdout: string } {
  const script = 'TIMEFORMAT="%R %U %S"; time taskset --cpu-list 0 "$@"';
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...command], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: Infinity,
  });
  if (status !== 0) throw new Error(stderr);
  const [elapsed = NaN, user = NaN, system = NaN] = (stderr.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return { times: { elapsed, cpu: user + system }, stdout };
}

/** How many reports are in both: alike in all but their random ids. */
function comparison(ours: readonly Report[], theirs: readonly Report[]): string {
  const known = new Set(theirs.map(content));
  const alike = ours.filter((report) => known.has(content(report))).length;
  return `reports: cointoss ${ours.length}, measurement-simulation ${theirs.length}, in both ${alike}`;
}

const content = ({ report_time, payload }: Report): string =>
  [
    report_time,
    siteOf(payload['attribution_destination'] ?? ''),
    ...[
      'source_event_id',
      'trigger_data',
      'source_type',
      'scheduled_report_time',
      'randomized_trigger_rate',
    ].map((field) => payload[field]),
  ].join(' ');
