import { chmodSync, fstatSync, lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { shellPath } from './shell-path';

const OTHERS = 0o077;
const GROUP_WRITES = 0o027;

const modeText = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(3, '0');

/**
 * What is wrong with the permissions of a file of secrets, and the command that fixes it; null if only its owner can open it. As in
 * PostgreSQL's rule for keys, a group may read a file of root, as with systemd's credentials. A pipe has no permissions that matter.
 */
export function secretProblem(file: string, descriptor: number): string | null {
  const stats = fstatSync(descriptor);
  const self = process.getuid?.();
  if (self === undefined || !stats.isFile()) return null;
  if (stats.uid !== self && stats.uid !== 0)
    return `must belong to user ${self}, who reads it, belongs to user ${stats.uid}; run: chown ${self} ${shellPath(file)}`;
  if ((stats.mode & (stats.uid === self ? OTHERS : GROUP_WRITES)) === 0) return null;
  return `must be open to its owner only, has mode ${modeText(stats)}; run: chmod go= ${shellPath(file)}`;
}

/**
 * What is wrong with a private folder, and the command that fixes it; null if only its owner can open it and its contents. The rule is
 * PostgreSQL's for its data. An empty folder of the process owner is fixed here.
 */
export function folderProblem(folder: string): string | null {
  const self = process.getuid?.();
  if (self === undefined) return null;
  const below = entriesIn(folder, readdirSync(folder));
  const own = statSync(folder);
  if (below.length === 0 && own.uid === self) {
    chmodSync(folder, 0o700);
    return null;
  }
  const entries = [{ name: folder, stats: own }, ...below];
  const word = shellPath(folder);
  for (const { isWrong, problem } of folderRules(self, word)) {
    const [first, ...more] = entries.filter(({ stats }) => isWrong(stats));
    if (first === undefined) continue;
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return problem(`${first.name}${others}`, first.stats);
  }
  return null;
}

interface Entry {
  readonly name: string;
  readonly stats: Stats;
}

/** Everything in a folder and its subfolders, without what another process removes or moves meanwhile. Links are not followed. */
const entriesIn = (folder: string, names: readonly string[]): readonly Entry[] =>
  names.flatMap((base) => {
    const name = path.join(folder, base);
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return [{ name, stats }, ...(stats.isDirectory() ? entriesIn(name, namesIfThere(name)) : [])];
  });

function namesIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

interface FolderRule {
  readonly isWrong: (stats: Stats) => boolean;
  readonly problem: (found: string, first: Stats) => string;
}

const folderRules = (self: number, word: string): readonly FolderRule[] => [
  {
    isWrong: ({ uid }) => uid !== self,
    problem: (found, { uid }) =>
      `must belong to user ${self}, who runs this; found ${found} of user ${uid}; run: chown -R ${self} ${word}`,
  },
  {
    isWrong: (stats) => !stats.isFile() && !stats.isDirectory(),
    problem: (found) => `must have only files and folders; found ${found}; remove it`,
  },
  {
    isWrong: ({ mode }) => (mode & OTHERS) !== 0,
    problem: (found, first) =>
      `must be open to its owner only; found ${found} with mode ${modeText(first)}; run: chmod -R go= ${word}`,
  },
];
