import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { generateUser } from '../../../analysis/simulation/generate';
import { root } from '../../../node/root';

/* The job script as Slurm runs it: a shell, and the variables of an array. integrations/slurm/try.sh runs it with Slurm itself. */

const SCRIPT = path.join(root, 'integrations/slurm/simulate.sbatch');
const COINTOSS = path.join(root, 'cli/cointoss.mjs');
const USERS = 12;
/** An array need not begin with 0. */
const TASKS = [3, 4, 5];

let folder: string;
let log: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-job-array-'));
  const lines = Array.from({ length: USERS }, (_, user) => generateUser('array', user)).flat();
  log = path.join(folder, 'log.ndjson');
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});

afterAll(() => rmSync(folder, { recursive: true }));

function madeFolder(name: string): string {
  const made = path.join(folder, name);
  mkdirSync(made);
  return made;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runTask(task: number, input: string, output: string): Ended {
  const env = {
    ...process.env,
    COINTOSS,
    SLURM_ARRAY_TASK_ID: String(task),
    SLURM_ARRAY_TASK_MIN: String(TASKS[0]),
    SLURM_ARRAY_TASK_COUNT: String(TASKS.length),
  };
  return spawnSync('bash', [SCRIPT, input, output, '1'], { env, encoding: 'utf8' });
}

function cointoss(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COINTOSS, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const filesIn = (output: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(output).map((name) => [name, readFileSync(path.join(output, name))]));

const sortedLines = (text: string): readonly string[] => text.trimEnd().split('\n').sort();

test('an array of tasks makes the reports, sources and summary of one process, also when a task runs again', () => {
  const [output, whole] = [madeFolder('array'), madeFolder('whole')];
  for (const task of TASKS) expect(runTask(task, log, output)).toMatchObject({ status: 0 });
  const made = filesIn(output);
  expect([...made.keys()].sort()).toEqual(
    ['reports-%.ndjson.gz', 'sources-%.ndjson.gz', 'summary-%.json'].flatMap((name) =>
      TASKS.map((_, shard) => name.replace('%', String(shard))),
    ),
  );

  const wholeFile = (name: string): string => path.join(whole, name);
  cointoss(
    ...['simulate', '--input', log, '--seed', '1', '--output', wholeFile('reports.ndjson')],
    ...['--sources-output', wholeFile('sources.ndjson'), '--summary', wholeFile('summary.json')],
  );
  for (const kind of ['reports', 'sources']) {
    const parts = [...made].filter(([name]) => name.startsWith(kind)).map(([, bytes]) => gunzipSync(bytes));
    expect(sortedLines(Buffer.concat(parts).toString())).toEqual(
      sortedLines(readFileSync(wholeFile(`${kind}.ndjson`), 'utf8')),
    );
  }
  const summaries = TASKS.map((_, shard) => path.join(output, `summary-${shard}.json`));
  expect(cointoss('merge', ...summaries)).toBe(readFileSync(wholeFile('summary.json'), 'utf8'));

  expect(runTask(4, log, output)).toMatchObject({ status: 0 });
  expect(filesIn(output)).toEqual(made);
});

test('a task that fails leaves no file', () => {
  const output = madeFolder('failed');
  const broken = path.join(folder, 'broken.ndjson');
  writeFileSync(broken, `${readFileSync(log, 'utf8')}{`);
  const { status, stderr } = runTask(5, broken, output);
  expect(status).toBe(2);
  expect(stderr).toContain('broken.ndjson: line');
  expect(filesIn(output)).toEqual(new Map());
});
