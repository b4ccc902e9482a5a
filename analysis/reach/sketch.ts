import { seededRandomSource } from '../random/sources';
import { histogramOf } from './impressions';

/** A register of one person with their impressions, or of several people, whose impressions cannot be told apart. */
type Register = { readonly fingerprint: bigint; readonly impressions: number } | 'several';

/** How much likelier the first register is than the last: e^DECAY times. */
const DECAY = 12;

/**
 * Who saw something and how often, in a fixed number of registers. A hash puts each person into one register, the first ones far more often
 * than the last ones, so that few people and many both fill some of the registers but not all. A simplified form of the sketches with
 * frequencies of the Halo project ("Liquid Legions"): those are encrypted and merged by several parties.
 */
export class Sketch {
  private readonly registers = new Map<number, Register>();

  /** @param key the same for all sketches that are to be merged */
  constructor(
    readonly size: number,
    private readonly key: string,
  ) {}

  add(person: string, impressions: number): void {
    const hash = seededRandomSource(JSON.stringify([this.key, person]), 0);
    const uniform = Number(hash.uint64()) / 2 ** 64;
    const place = -Math.log1p(uniform * Math.expm1(-DECAY)) / DECAY;
    this.put(Math.min(this.size - 1, Math.floor(place * this.size)), {
      fingerprint: hash.uint64(),
      impressions,
    });
  }

  /** Adds what another sketch of the same size and key has. A person in both stays one person. */
  merge(other: Sketch): void {
    for (const [index, register] of other.registers) this.put(index, register);
  }

  private put(index: number, added: Register): void {
    const known = this.registers.get(index);
    this.registers.set(index, known === undefined ? added : together(known, added));
  }

  /** How many registers have somebody. */
  get filled(): number {
    return this.registers.size;
  }

  has(index: number): boolean {
    return this.registers.has(index);
  }

  /** How many of the registers with one person have 1, 2, … impressions. The last number is of those with at least `most`. */
  frequencies(most: number): readonly number[] {
    const singles = [...this.registers.values()].flatMap((register) =>
      register === 'several' ? [] : [register.impressions],
    );
    return histogramOf(singles, most);
  }
}

const together = (one: Register, other: Register): Register =>
  one === 'several' || other === 'several' || one.fingerprint !== other.fingerprint
    ? 'several'
    : { fingerprint: one.fingerprint, impressions: one.impressions + other.impressions };

/** How many people a number of filled registers stands for. */
export interface FilledBy {
  readonly people: number;
  /** The variance of the number of filled registers, for this many hashed people. */
  readonly variance: number;
  /** How many registers then have one person, on average. */
  readonly singles: number;
}

/** More people than this are not told apart. */
const MOST_PEOPLE = 1e12;

/** Finds for numbers of filled registers how many people fill so many on average. */
export function peopleByFilled(size: number): (filled: number) => FilledBy {
  const chances = Float64Array.from(
    { length: size },
    (_, index) => (Math.exp((-DECAY * index) / size) * Math.expm1(-DECAY / size)) / Math.expm1(-DECAY),
  );
  const filledBy = (people: number): number =>
    chances.reduce((sum, chance) => sum - Math.expm1(people * Math.log1p(-chance)), 0);
  const known = new Map<number, FilledBy>();
  return (filled) => {
    const at = Math.round(filled);
    const found = known.get(at) ?? solve(at, filledBy, chances);
    known.set(at, found);
    return found;
  };
}

function solve(filled: number, filledBy: (people: number) => number, chances: Float64Array): FilledBy {
  let low = 0;
  let high = MOST_PEOPLE;
  while (filled > 0 && high - low > 1e-6 * (1 + high)) {
    // Geometric steps: the solution can be of any size.
    const middle = Math.sqrt((1 + low) * (1 + high)) - 1;
    if (filledBy(middle) < filled) low = middle;
    else high = middle;
  }
  const people = filled > 0 ? (low + high) / 2 : 0;
  let sum = 0;
  let pull = 0;
  for (const chance of chances) {
    const empty = Math.exp(-people * chance);
    sum += empty * (1 - empty);
    pull += chance * empty;
  }
  // As many people as there are, not a Poisson number of them.
  return { people, variance: Math.max(0, sum - people * pull ** 2), singles: people * pull };
}
