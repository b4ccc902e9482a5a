import { randomFillSync } from 'node:crypto';
import { type RandomSource } from '../../src/privacy/random-source';
import { bufferedRandomSource, seededRandomStreams, type RandomUse } from '../../analysis/random/sources';

/** Randomness for each registration: from the system, or repeatable from a seed. */
export function randomFor(seed: string | undefined, use?: RandomUse): (stream: number) => RandomSource {
  if (seed !== undefined) return seededRandomStreams(seed, use);
  const system = bufferedRandomSource((words) => void randomFillSync(words));
  return () => system;
}
