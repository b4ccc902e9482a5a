import { bufferedRandomSource, seededRandomStreams, type RandomUse } from '../../analysis/random/sources';
import type { RandomStreams } from '../../src/work';

/**
 * The browser's randomness, or that of the seed while there is one.
 * @param seed as it is now
 */
export function randomStreamsOf(seed: () => string | null): (use: RandomUse) => RandomStreams {
  const system = bufferedRandomSource((words) => void crypto.getRandomValues(words));
  return (use) => (stream) => {
    const now = seed();
    return now === null ? system : seededRandomStreams(now, use)(stream);
  };
}
