import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** A Python with the libraries to compare with. */
export const python = process.env['COINTOSS_ORACLES'];

/** `describe`, if the Python has a module. */
export function withModule(name: string): typeof describe {
  const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
  if (python !== undefined && spawnSync(python, ['-c', find]).status === 0) return describe;
  process.stderr.write(`oracles: left out, because COINTOSS_ORACLES names no Python with ${name}\n`);
  return describe.skip;
}

/** What a program of test/oracles answers. */
export function answersOf(program: string, task: unknown): unknown {
  const { stdout, stderr } = spawnSync(python ?? '', [path.join(__dirname, '../../oracles', program)], {
    input: JSON.stringify(task),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}
