import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { elapsed, root, runQuietly, say } from './console.mjs';

/**
 * Installs the packages of a file with versions into a new virtual environment. Resolves to what went wrong, or null.
 * @param options more options of pip.
 */
export async function installEnvironment(folder, requirements, ...options) {
  const start = Date.now();
  const check = ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'];
  const python = ['python3', 'python'].find((command) => spawnSync(command, check).status === 0);
  if (python === undefined) return 'there is no Python 3.11 or newer with venv and pip';
  say(`installing Python packages of ${requirements}`);
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'install', '-q', '--no-compile', '--retries=1', '--timeout=15', ...options];
  const commands = [
    [python, ['-m', 'venv', fresh]],
    [pythonIn(fresh), [...pip, '--disable-pip-version-check', '-r', path.join(root, requirements)]],
  ];
  for (const [command, args] of commands) {
    const code = await runQuietly(command, args, { doing: 'installing Python packages' });
    if (code !== 0)
      return `${[path.basename(command), ...args.slice(0, 3)].join(' ')} failed with exit code ${code}`;
  }
  renameSync(fresh, folder);
  say(`Python packages are installed (${elapsed(start)})`);
  return null;
}

export const pythonIn = (folder) =>
  path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
