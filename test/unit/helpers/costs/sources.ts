import { execFileSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../../..');

/** What reads, or can read, what others supply. The demo's sites are not shipped. */
const ROOMS = [
  'numeric',
  'src',
  'recording',
  'formats',
  'words',
  'analysis',
  'extension',
  'ui',
  'cli',
  'collector',
  'node',
  'scenarios/kit',
  'scenarios/replay',
];

/** All source files of these rooms, and others, from the root of the repository. */
export const filesOf = (...others: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...ROOMS, ...others], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.(tsx?|mjs)$/.test(file));
