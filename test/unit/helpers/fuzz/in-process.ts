import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Fuzzed } from './fuzz';

const program = path.join(__dirname, 'program.ts');

/**
 * Fuzzes parsers or files, one after the other, in a process of their own, which ends without a result when it needs more than 128 MB for
 * JavaScript's objects. Jest cannot load what compresses with Zstandard.
 * @returns what was found, by name.
 */
export async function fuzzInProcess(
  names: readonly string[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<string, Fuzzed>> {
  const limits = ['--max-old-space-size=128', '--import', 'tsx'];
  const given = [...limits, program, String(count), String(seed), ...names];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  return new Map(JSON.parse(stdout) as readonly [string, Fuzzed][]);
}
