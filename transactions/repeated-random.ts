import type { RandomSource } from '../src/privacy/random-source';

/**
 * Repeats the random words for a decision that is repeated because it read a row that was not loaded. With fresh words, outputs whose documents
 * happened to be loaded would become more probable, and ε would not hold.
 * @param random a source for each stream
 * @returns a function to call at the beginning of each attempt
 */
export function repeatedRandom(
  random: (stream: number) => RandomSource,
): () => (stream: number) => RandomSource {
  const streams = new Map<number, { readonly source: RandomSource; readonly words: bigint[] }>();
  return () => (stream) => {
    const known = streams.get(stream) ?? { source: random(stream), words: [] };
    streams.set(stream, known);
    const { source, words } = known;
    // Only the audit decides itself, and has all in memory.
    if (source.decide !== undefined) return source;
    let used = 0;
    return {
      uint64() {
        const word = words[used] ?? source.uint64();
        words[used] = word;
        used += 1;
        return word;
      },
    };
  };
}
