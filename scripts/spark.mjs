import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, run, say } from './console.mjs';
import { installEnvironment, pythonIn } from './python.mjs';
import { withLock } from './set-up-lock.mjs';

/** Spark 4 needs it. */
const JAVA = 17;
const COINTOSS = 'cli/cointoss.mjs';

/** Small, with cells that differ in the API. */
const EXPERIMENT = {
  repetitions: 2,
  data: { users: 20, demo: true },
  settings: { budget: { unit: 'user-advertiser', period: 7, epsilon: 3, cap: 2 } },
  grid: { api: [{ kind: 'summary' }, { kind: 'label-sums' }, { kind: 'w3c' }] },
  measure: { levels: [['campaign'], ['source_type']], tasks: ['ranking', 'model'] },
};
const REQUIREMENTS = 'test/spark/requirements.txt';

/**
 * Compares `simulate` on a Spark cluster with one process, on the log of so many users, in 1, 7 and so many partitions, and `compare` by the
 * cell. Resolves as a stage of
 * `npm test` does. Where there is no Java or Python it says so, and counts as left out.
 */
export async function spark(users, partitions, ...modes) {
  const environment = environmentFolder();
  const problem = await missing(environment);
  if (problem !== null) {
    say(`simulate is not tested on Spark: ${problem}`);
    return { code: 0, counts: { passed: 0, failed: 0, skipped: modes.length } };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-spark-'));
  try {
    const files = await prepare(folder, users);
    const failed = [];
    for (const mode of modes) {
      const args = [path.join(root, 'test/spark/cluster.py'), mode, ...files, String(partitions)];
      if ((await run(pythonIn(environment), args)) !== 0) failed.push(mode);
    }
    const counts = { passed: modes.length - failed.length, failed: failed.length, skipped: 0 };
    return { code: failed.length === 0 ? 0 : 1, counts };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes the log, the archive, and what one process makes of the log. Resolves to the arguments of cluster.py. */
async function prepare(folder, users) {
  const [log, archive, expected] = ['log.ndjson', 'commands.zip', 'one'].map((name) =>
    path.join(folder, name),
  );
  await script('scripts/archive.mjs', archive);
  await script(COINTOSS, 'generate', '--users', String(users), '--output', log);
  const outputs = { '--output': 'reports', '--sources-output': 'sources', '--summary': 'summary' };
  const options = Object.entries(outputs).flatMap(([name, ending]) => [name, `${expected}.${ending}`]);
  await script(COINTOSS, 'simulate', '--input', log, '--seed', '1', ...options);
  writeFileSync(`${expected}.experiment`, JSON.stringify(EXPERIMENT));
  await script(COINTOSS, 'compare', `${expected}.experiment`, '--output', `${expected}.results`);
  return [log, archive, expected];
}

/** What Spark lacks here, or null. Installs its Python packages first. */
async function missing(environment) {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (!(Number(/version "(\d+)/.exec(stderr ?? '')?.[1]) >= JAVA)) return `there is no Java ${JAVA} or newer`;
  mkdirSync(path.dirname(environment), { recursive: true });
  return withLock(
    () => (existsSync(environment) ? null : installEnvironment(environment, REQUIREMENTS)),
    'python',
  );
}

/** One for each content of the file with versions. */
function environmentFolder() {
  const hash = createHash('sha256').update(readFileSync(path.join(root, REQUIREMENTS)));
  return path.join(root, '.data/spark', hash.digest('hex').slice(0, 12));
}

async function script(file, ...args) {
  const code = await run(process.execPath, [path.join(root, file), ...args], { stdio: ['ignore', 2, 2] });
  if (code !== 0) throw new Error(`${file} ${args[0]}: exit code ${code}`);
}
