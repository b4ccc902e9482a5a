import { randomFillSync } from 'node:crypto';
import { type RandomSource } from '../../src/privacy/random-source';
import { bufferedRandomSource, seededRandomStreams } from '../../analysis/random/sources';

/** Randomness for each registration: from the system, or repeatable from a seed. */
export function randomFor(seed: string | undefined): (stream: number) => RandomSource {
  if (seed !== undefined) return seededRandomStreams(seed);
  const system = bufferedRandomSource((words) => void randomFillSync(words));
  return () => system;
}
