import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Fuzzed } from './fuzz';

const program = path.join(__dirname, 'program.ts');

/**
 * Fuzzes a parser or a file in a process of its own, which ends without a result when it needs more than 128 MB for JavaScript's objects.
 * Jest cannot load what compresses with Zstandard.
 */
export async function fuzzInProcess(name: string, count: number, seed: number): Promise<Fuzzed> {
  const given = ['--max-old-space-size=128', '--import', 'tsx', program, name, String(count), String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  return JSON.parse(stdout) as Fuzzed;
}
