import { readFileSync } from 'node:fs';
import { InputError } from './input';

/**
 * A secret from a file or else from the environment, because other users can list command lines; null without either.
 * @throws InputError when both are given, or when the file cannot be read or is empty.
 */
export function secretFrom(option: string, file: string | undefined, variable: string): string | null {
  const inherited = process.env[variable] ?? null;
  if (file === undefined) return inherited;
  if (inherited !== null)
    throw new InputError(`collect: --${option}: ${variable} is set, too; give one of them`);
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') throw new Error('is empty');
    return secret;
  } catch (error) {
    throw new InputError(
      `collect: --${option}: ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
