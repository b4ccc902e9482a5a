/**
 * Finds or installs PostgreSQL's programs for the collector's tests; uses Node built-ins only. `node scripts/postgresql.mjs` prints the
 * folder with initdb on stdout, and everything else on stderr.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { aptInstall, canInstall } from './apt.mjs';
import { elapsed, exitWith, say, SetupError } from './console.mjs';
import { withLock } from './set-up-lock.mjs';

/** Debian has one folder per version there, not on the PATH. */
const debianFolder = '/usr/lib/postgresql';

/** The folder with `initdb` and `postgres`: an installed one, else one from apt-get. Rejects with a SetupError. */
export async function ensurePostgresql() {
  return installed() ?? withLock(async () => installed() ?? install(), 'programs');
}

function installed() {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const folders = [...onPath, ...newestFirst.map((version) => path.join(debianFolder, version, 'bin'))];
  return (
    folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name)))) ??
    null
  );
}

async function install() {
  if (!canInstall())
    throw new SetupError(
      `no PostgreSQL found: no initdb on the PATH or in ${debianFolder}/*/bin. Install it; apt-get is only used as root on Debian.`,
    );
  const start = Date.now();
  const code = await aptInstall('postgresql');
  const found = installed();
  if (code !== 0 || found === null)
    throw new SetupError(`apt-get install postgresql failed with exit code ${code}`);
  say(`PostgreSQL is installed (${elapsed(start)})`);
  return found;
}

const isProgram = realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url);
if (isProgram)
  void exitWith(async () => {
    console.log(await ensurePostgresql());
    return 0;
  });
