import { PRECISION, type Chance, type Distribution } from './outcomes';

/** How well an observer can tell two worlds apart. */
export interface PrivacyLoss {
  /** The greatest |ln(P[output in one world] / P[output in the other])|; rounded up. */
  readonly epsilon: number;
  /** The output with that ratio, and its probabilities. Null when all outputs are equally likely in both. */
  readonly event: DistinguishingEvent | null;
}

interface DistinguishingEvent {
  readonly output: string;
  readonly probabilities: readonly [number, number];
}

const NEVER: Chance = { lower: 0n, upper: 0n };

/**
 * The exact loss: pure differential privacy is decided by single outputs.
 * @param besides whether an output does not count
 */
export function privacyLoss(
  one: Distribution,
  other: Distribution,
  besides?: (output: string) => boolean,
): PrivacyLoss {
  let worst: PrivacyLoss = { epsilon: 0, event: null };
  for (const output of new Set([...one.keys(), ...other.keys()])) {
    if (besides?.(output) === true) continue;
    const [p, q] = [one.get(output) ?? NEVER, other.get(output) ?? NEVER];
    const epsilon = Math.max(logRatio(p, q), logRatio(q, p));
    if (epsilon > worst.epsilon)
      worst = { epsilon, event: { output, probabilities: [toNumber(p), toNumber(q)] } };
  }
  return worst;
}

/** The exact δ: by how much the outputs of one world can be more probable than e^ε times as in the other, all together; rounded up. */
export function deltaBeyond(one: Distribution, other: Distribution, epsilon: number): number {
  const factor = Math.exp(epsilon);
  const excess = (outputs: Distribution, others: Distribution): number => {
    let sum = 0;
    for (const [output, p] of outputs)
      sum += Math.max(0, Number(p.upper) - factor * Number((others.get(output) ?? NEVER).lower));
    return sum / 2 ** PRECISION;
  };
  return Math.max(excess(one, other), excess(other, one)) * (1 + ROUNDING) + ROUNDING;
}

/** The relative error of a double that is a ratio of two whole numbers, and that of its logarithm. */
const ROUNDING = 2 ** -50;

/** At least ln(p/q); 0 if p cannot be the greater one. */
function logRatio(p: Chance, q: Chance): number {
  if (p.upper <= q.lower || p.upper === 0n) return 0;
  if (q.lower === 0n) return Infinity;
  const loss = Math.log(Number((p.upper << 64n) / q.lower) / 2 ** 64);
  return loss + ROUNDING * (1 + loss);
}

const toNumber = ({ lower, upper }: Chance): number =>
  Number((lower + upper) >> BigInt(PRECISION + 1 - 64)) / 2 ** 64;
