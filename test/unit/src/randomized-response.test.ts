import { epsilon as epsilonOf } from '../../../src/model/units';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { biasedResponse, type Mechanism } from '../helpers/biased-response';
import { exponentialFloor, OutOfWords, ScriptedSource } from '../helpers/random';

const WORDS = 2n ** 64n;
const MAX_WORD = WORDS - 1n;

type Decision = 'replaced' | 'truthful' | 'undecided';

/** The result that the given words decide. */
function decide(mechanism: Mechanism, words: readonly bigint[]): Decision {
  // Later words choose the state. Any words will do, but the mechanism must not ask for them earlier.
  const source = new ScriptedSource(words);
  try {
    return mechanism(source).kind;
  } catch (error) {
    if (!(error instanceof OutOfWords)) throw error;
    // It asked for another word: for the choice of a state when it replaces, or because it is still undecided.
    const [low, high] = [0n, MAX_WORD].map((word) => outcome(mechanism, [...words, word]));
    return low === 'replaced' && high === 'replaced' ? 'replaced' : 'undecided';
  }
}

function outcome(mechanism: Mechanism, words: readonly bigint[]): Decision {
  try {
    // Zeros choose state 0, and as a third word on they are below every boundary.
    return mechanism(new ScriptedSource([...words, ...Array<bigint>(8).fill(0n)])).kind;
  } catch {
    return 'undecided';
  }
}

/** The first word that the condition does not hold for; it holds for all words below. */
function firstWithout(condition: (word: bigint) => boolean): bigint {
  let [low, high] = [0n, WORDS];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (condition(middle)) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/**
 * Bounds of the probability p of `replaced`, in units of 2^−128, found from outside by halving: the words that replace at
 * once, and those that do after the one undecided word.
 */
function replacedShare(mechanism: Mechanism): { low: bigint; high: bigint } {
  const first = firstWithout((word) => decide(mechanism, [word]) === 'replaced');
  if (first === WORDS) return { low: WORDS * WORDS, high: WORDS * WORDS };
  if (decide(mechanism, [first]) === 'truthful') return { low: first * WORDS, high: first * WORDS };
  const second = firstWithout((word) => decide(mechanism, [first, word]) === 'replaced');
  const low = first * WORDS + second;
  return { low, high: low + 1n };
}

describe('the output distribution', () => {
  const configurations: [bigint, number][] = [
    [2n, 1],
    [3n, 14],
    [3n, 0.1],
    [28n, 4],
    [2925n, 14],
    [2925n, 1e-6],
    [175142105857592248012292655n, 14],
  ];

  /** Whether p = k/(k − 1 + e^ε) is consistent with the bounds of p found, by intervals throughout. */
  function isExact(states: bigint, epsilon: number, mechanism: Mechanism): boolean {
    const { low, high } = replacedShare(mechanism);
    const scale = 2n ** 400n;
    const exponential = exponentialFloor(epsilon, 400);
    const one = WORDS * WORDS;
    const others = (states - 1n) * scale;
    // low/2^128 ≤ k/(k−1+e^ε) ≤ high/2^128, cross-multiplied.
    return (
      low * (others + exponential) <= states * scale * one &&
      high * (others + exponential + 1n) >= states * scale * one
    );
  }

  test.each(configurations)(
    'for k = %s and ε = %s replaces with the exact probability',
    (states, epsilon) => {
      expect(isExact(states, epsilon, randomizedResponse(states, epsilonOf(epsilon)))).toBe(true);
    },
  );

  // P[o | x] is p/k for o ≠ x and 1 − p + p/k for o = x, so the largest ratio between two truths is (k(1 − p) + p)/p. It
  // equals e^ε at the exact p, and p is known to 2^−128, which moves the ratio by at most k/(p²·2^128).
  test.each(configurations)('for k = %s and ε = %s is ε-differentially private', (states, epsilon) => {
    const { low, high } = replacedShare(randomizedResponse(states, epsilonOf(epsilon)));
    const one = WORDS * WORDS;
    const scale = 2n ** 200n;
    // If the least ratio that the bounds allow were above e^ε, the mechanism would certainly lose more.
    const leastRatio = ((states * (one - high) + high) * scale) / high;
    expect(leastRatio <= exponentialFloor(epsilon, 200) + 1n).toBe(true);
    // The greatest that they allow is above it by no more than the uncertainty of p.
    const greatestRatio = ((states * (one - low) + low) * scale) / low;
    const unknown = (states * one * scale) / (low * low) + 1n;
    expect(greatestRatio <= exponentialFloor(epsilon, 200) + 1n + unknown).toBe(true);
  });

  test('would be found out if the probability were 10 % off, or by one unit in 2^100', () => {
    const scaled = (numerator: bigint, denominator: bigint): Mechanism =>
      biasedResponse(2925n, 14, (value) => (value * numerator) / denominator);
    expect(isExact(2925n, 14, scaled(1n, 1n))).toBe(true);
    expect(isExact(2925n, 14, scaled(9n, 10n))).toBe(false);
    expect(isExact(2925n, 14, scaled(11n, 10n))).toBe(false);
    expect(isExact(2925n, 14, scaled(2n ** 100n + 1n, 2n ** 100n))).toBe(false);
  });

  test.each([1n, 2n, 3n, 7n, 28n])('replaces by every one of %s states from equally many words', (states) => {
    const size = 2n ** BigInt((states - 1n).toString(2).length);
    const mechanism = randomizedResponse(states, epsilonOf(0.5));
    const counts = new Map<bigint, number>();
    for (let word = 0n; word < size; word++) {
      const source = new ScriptedSource([0n, word]);
      try {
        const drawn = mechanism(source);
        if (drawn.kind === 'replaced') counts.set(drawn.state, (counts.get(drawn.state) ?? 0) + 1);
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfWords); // past the number of states: drawn again
        expect(word >= states).toBe(true);
      }
    }
    expect([...counts.keys()]).toEqual(Array.from({ length: Number(states) }, (_, index) => BigInt(index)));
    expect([...counts.values()]).toEqual(Array.from({ length: Number(states) }, () => 1));
  });
});

describe('at the ends of its range', () => {
  test.each([1n, 2n, 2925n, 10n ** 27n])('ε = 0 replaces %s states always', (states) => {
    const words = [MAX_WORD, 0n, 0n];
    expect(randomizedResponse(states, epsilonOf(0))(new ScriptedSource(words))).toEqual({
      kind: 'replaced',
      state: 0n,
    });
    expect(replacedShare(randomizedResponse(states, epsilonOf(0))).low).toBe(WORDS * WORDS);
  });

  test('a single state is replaced by itself with probability e^−ε', () => {
    const { low, high } = replacedShare(randomizedResponse(1n, epsilonOf(14)));
    const exponential = exponentialFloor(14, 200);
    const one = WORDS * WORDS;
    expect(low * exponential <= one << 200n && high * (exponential + 1n) >= one << 200n).toBe(true);
    expect(randomizedResponse(1n, epsilonOf(14))(new ScriptedSource([0n, 0n]))).toEqual({
      kind: 'replaced',
      state: 0n,
    });
    expect(randomizedResponse(1n, epsilonOf(14))(new ScriptedSource([MAX_WORD]))).toEqual({
      kind: 'truthful',
    });
  });

  test('10^27 states are nearly always replaced, and by any of them', () => {
    const states = 10n ** 27n;
    const mechanism = randomizedResponse(states, epsilonOf(14));
    // 1 − p is about e^14/10^27 = 1.2·10^−21, less than 2^−64: the largest word needs a second one to decide.
    expect(mechanism(new ScriptedSource([MAX_WORD, MAX_WORD]))).toEqual({ kind: 'truthful' });
    expect(mechanism(new ScriptedSource([MAX_WORD, 0n, 0n, 5n]))).toEqual({ kind: 'replaced', state: 5n });
    const last = states - 1n;
    expect(mechanism(new ScriptedSource([0n, last >> 64n, last & MAX_WORD]))).toEqual({
      kind: 'replaced',
      state: last,
    });
  });

  test.each([0n, -1n])('%s states are refused', (states) => {
    expect(() => randomizedResponse(states, epsilonOf(1))).toThrow(
      new RangeError(`states must be at least 1, was ${String(states)}`),
    );
  });
});
