import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, say } from './console.mjs';
import { installEnvironment, pythonIn } from './python.mjs';
import { withLock } from './set-up-lock.mjs';

/**
 * Python environments with the libraries that tests compare the lab with. `accounting` has dp-accounting, scikit-learn, and pandas
 * and Jupyter for the notebooks (470 MB); `training` has PyTorch and Opacus as well (5.8 GB).
 */
const environments = path.join(root, '.data/oracles');

/** Names an installed environment in COINTOSS_ORACLES, unless that names a Python already. */
export function useOracles() {
  const installed = ['training', 'accounting'].map(folderOf).map(pythonIn).find(existsSync);
  if (installed !== undefined) process.env.COINTOSS_ORACLES ??= installed;
}

/** Installs an environment if it is missing, and names it. Where that fails it says why, and the tests leave the comparison out. */
export async function ensureOracles(name) {
  if (process.env.COINTOSS_ORACLES !== undefined) return;
  const has = (one) => existsSync(pythonIn(folderOf(one)));
  if (!has('training') && !has(name))
    await withLock(async () => {
      if (has(name)) return;
      removeOthers();
      const problem = await installEnvironment(folderOf(name), requirementsOf(name), '--only-binary=:all:');
      if (problem !== null) say(`tests do not compare the lab with Python libraries: ${problem}`);
    }, 'python');
  useOracles();
}

/** Removes environments of other versions, and what an install that was stopped has left. */
function removeOthers() {
  mkdirSync(environments, { recursive: true });
  const current = ['accounting', 'training'].map(folderOf);
  for (const name of readdirSync(environments)) {
    const folder = path.join(environments, name);
    if (!current.includes(folder) || !existsSync(pythonIn(folder))) rmSync(folder, { recursive: true });
  }
}

const requirementsOf = (name) => `test/oracles/${name}.txt`;

/** One for each content of the files with versions. */
function folderOf(name) {
  const hash = createHash('sha256');
  for (const each of ['accounting', name]) hash.update(readFileSync(path.join(root, requirementsOf(each))));
  return path.join(environments, `${name}-${hash.digest('hex').slice(0, 12)}`);
}
