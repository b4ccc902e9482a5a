import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Fuzzed } from './fuzz';

const program = path.join(__dirname, 'fuzz-files.ts');

/** `fuzzFile` in a process of its own, with little memory. Jest cannot load what compresses with Zstandard. */
export async function fuzzFileInProcess(name: string, count: number, seed: number): Promise<Fuzzed> {
  const given = ['--max-old-space-size=128', '--import', 'tsx', program, name, String(count), String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  return JSON.parse(stdout) as Fuzzed;
}
