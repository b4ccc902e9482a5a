import { execFileSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../../..');

/** What reads, or can read, what others supply. The demo's sites are not shipped. */
const ROOMS = [
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
];

/** All source files of these rooms, from the root of the repository. */
export const filesOf = (): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...ROOMS], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file));
