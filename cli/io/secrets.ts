import { closeSync, readFileSync } from 'node:fs';
import { openToRead } from '../../node/files';
import { secretProblem } from '../../node/owner-only';
import { InputError, readText } from './input';

/** @throws InputError if the file cannot be read, or others can open it. */
export function readSecretText(file: string): string {
  if (file === '-') return readText(file);
  let descriptor;
  try {
    descriptor = openToRead(file);
  } catch (error) {
    throw new InputError(`${file}: cannot be read: ${messageOf(error)}`);
  }
  try {
    const problem = secretProblem(file, descriptor);
    if (problem !== null) throw new InputError(`${file}: ${problem}`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A secret from a file or from the environment, because other users can list command lines; null without either.
 * @throws InputError if both are given, or if the file cannot be read or is empty.
 */
export function secretFrom(option: string, file: string | undefined, variable: string): string | null {
  const inherited = process.env[variable] ?? null;
  if (file === undefined) return inherited;
  if (inherited !== null)
    throw new InputError(`collect: --${option}: ${variable} is set, too; give one of them`);
  try {
    const secret = readSecretText(file).trim();
    if (secret === '') throw new InputError(`${file}: is empty`);
    return secret;
  } catch (error) {
    throw new InputError(`collect: --${option}: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
