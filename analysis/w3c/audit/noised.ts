import { Rational } from '../../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds } from '../../../src/privacy/real-bounds';
import { PRECISION, type Chance, type Distribution } from '../../audit/outcomes';
import type { Seen } from './device';

/*
 * Sums with discrete Laplace noise, without draws. Beyond all exact sums that are possible, a larger output changes the probabilities of all
 * worlds by the same factor. So an output counts as the nearest number from the least to the largest exact sum, and no loss is missed.
 */

const ONE = 1n << BigInt(PRECISION);
const CERTAIN: Chance = { lower: ONE, upper: ONE };

/** What is published in two worlds. */
interface Published {
  readonly worlds: readonly [Distribution, Distribution];
  /** An output of these as people can read it. */
  readonly textOf: (output: string) => string;
}

/** One way in which the exact sums of a world can come out. */
interface Way {
  readonly world: 0 | 1;
  readonly chance: Chance;
  readonly sums: readonly number[];
}

/** A place in the sums that are published: the least and the largest exact sum, and e^(−1/scale). */
interface Place {
  readonly least: number;
  readonly largest: number;
  readonly ratio: Chance;
}

/** @param before the distribution of `Seen`, as JSON, in each world */
export function published(before: readonly [Distribution, Distribution]): Published {
  const worlds = [new Map<string, Chance>(), new Map<string, Chance>()] as const;
  const texts: string[] = [];
  for (const [text, ways] of byText(before)) {
    const number = texts.push(text) - 1;
    for (const { output, chances } of outputsOf(ways, placesOf(text, ways)))
      ways.forEach(({ world }, index) => {
        const key = `${number}: ${output}`;
        worlds[world].set(key, sum(worlds[world].get(key) ?? NEVER, chances[index] ?? NEVER));
      });
  }
  const textOf = (output: string): string => {
    const [number = '', sums = ''] = output.split(': ');
    return `${texts[Number(number)] ?? ''}, sums ${sums}`;
  };
  return { worlds, textOf };
}

/** The ways of both worlds by what is seen beside the sums. */
function byText(before: readonly [Distribution, Distribution]): ReadonlyMap<string, readonly Way[]> {
  const found = new Map<string, Way[]>();
  for (const world of [0, 1] as const)
    for (const [output, chance] of before[world]) {
      const { text, batches } = JSON.parse(output) as Seen;
      const scales = batches.map(({ scale, sums }) => [...scale, sums.length]);
      const key = JSON.stringify({ text, scales });
      const way = { world, chance, sums: batches.flatMap(({ sums }) => sums) };
      found.set(key, [...(found.get(key) ?? []), way]);
    }
  return found;
}

function placesOf(text: string, ways: readonly Way[]): readonly Place[] {
  const { scales } = JSON.parse(text) as { readonly scales: readonly [string, string, number][] };
  const ratios = scales.flatMap(([numerator, denominator, length]) => {
    const rate = Rational.fraction(BigInt(denominator), BigInt(numerator));
    const ratio = exponentialOfMinus(rationalBounds(rate))(PRECISION);
    return Array.from({ length }, () => ratio);
  });
  return ratios.map((ratio, index) => {
    const sums = ways.map((way) => way.sums[index] ?? 0).sort((a, b) => a - b);
    return { least: sums[0] ?? 0, largest: sums.at(-1) ?? 0, ratio };
  });
}

/** Outputs at the first places, and the probability of each way with them. */
interface Begun {
  /** With commas. */
  readonly output: string;
  readonly chances: readonly Chance[];
}

function outputsOf(ways: readonly Way[], places: readonly Place[]): readonly Begun[] {
  let found: readonly Begun[] = [{ output: '', chances: ways.map(({ chance }) => chance) }];
  for (const [index, place] of places.entries()) {
    const values = Array.from({ length: place.largest - place.least + 1 }, (_, more) => {
      const value = place.least + more;
      return { value, factors: ways.map(({ sums }) => chanceAt(value, sums[index] ?? 0, place)) };
    });
    found = found.flatMap(({ output, chances }) =>
      values.map(({ value, factors }) => ({
        output: output === '' ? `${value}` : `${output},${value}`,
        chances: chances.map((chance, way) => times(chance, factors[way] ?? CERTAIN)),
      })),
    );
  }
  return found;
}

/** That a sum is published as this value: e^(−|value − sum|/scale), times (1 − ratio)/(1 + ratio), or 1/(1 + ratio) at the ends. */
function chanceAt(value: number, exact: number, { least, largest, ratio }: Place): Chance {
  if (least === largest) return CERTAIN;
  let chance = CERTAIN;
  for (let step = 0; step < Math.abs(value - exact); step++) chance = times(chance, ratio);
  const { lower, upper } = ratio;
  if (value > least && value < largest) chance = times(chance, { lower: ONE - upper, upper: ONE - lower });
  return {
    lower: (chance.lower * ONE) / (ONE + upper),
    upper: (chance.upper * ONE) / (ONE + lower) + 1n,
  };
}

const NEVER: Chance = { lower: 0n, upper: 0n };

const sum = (a: Chance, b: Chance): Chance => ({ lower: a.lower + b.lower, upper: a.upper + b.upper });

const times = (a: Chance, b: Chance): Chance => ({
  lower: (a.lower * b.lower) >> BigInt(PRECISION),
  upper: ((a.upper * b.upper) >> BigInt(PRECISION)) + 1n,
});
