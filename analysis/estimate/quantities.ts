import type { SourceRegistration } from '../../src/model/registration';
import { Rational } from '../../src/privacy/rational';
import { multisets, ReportSpace, type ReportState } from '../../src/states/report-space';
import { bucketRange, shapeOf, triggerDataOf } from '../../src/states/source-space';
import type { Composition } from './response-model';
import { distributionOverStates, momentsOf, momentsOverStates, type Distribution } from './state-sums';

/** The part of a registration that decides the possible outputs. */
export type OutputShape = Pick<SourceRegistration, 'triggerSpecs' | 'maxEventLevelReports' | 'flexible'>;

/** A quantity to estimate: a sum over the sources of a group. */
export type Quantity =
  /** Sources with at least one report. */
  | { readonly kind: 'conversion-rate' }
  | { readonly kind: 'conversions' }
  | { readonly kind: 'trigger-data'; readonly triggerData: number }
  /** A window is identified by its end, in seconds after the source. */
  | { readonly kind: 'window'; readonly windowEnd: number }
  | { readonly kind: 'trigger-data-and-window'; readonly triggerData: number; readonly windowEnd: number }
  /** Sources whose sum for the trigger data reached the bucket. */
  | { readonly kind: 'bucket'; readonly triggerData: number; readonly bucket: readonly [number, number] }
  /** The start of the highest bucket reached, summed over sources and trigger data. */
  | { readonly kind: 'value' }
  | { readonly kind: 'state'; readonly state: string }
  /** As `state`, plus 1/k of the sources with an impossible output, where k outputs are possible. */
  | { readonly kind: 'state-with-share'; readonly state: string }
  | ValueQuantity;

/** Quantities of report states only. */
export type StateQuantity = Exclude<Quantity, ValueQuantity | { readonly kind: 'state-with-share' }>;

/** Quantities of mechanisms whose inputs are values. */
type ValueQuantity =
  | { readonly kind: 'label'; readonly value: number }
  /** As `label`, plus 1/k of the sources with an impossible value, where k values are possible. */
  | { readonly kind: 'label-with-share'; readonly value: number }
  | { readonly kind: 'bin'; readonly values: readonly number[] }
  | { readonly kind: 'label-sum' }
  /** The sum of the values, each replaced by the mean of its bin under the prior. */
  | { readonly kind: 'binned-sum' };

/** What each output adds to a quantity of one configuration. */
export interface Measure {
  readonly quantity: Quantity;
  readonly adds: (output: string) => number;
  /** Mean and variance of what a uniformly random output adds. */
  readonly mean: number;
  readonly spread: number;
  /** Each value with its share of the outputs; null if there are too many values. */
  readonly shares: ReadonlyMap<number, number> | null;
}

/** With more values, knowing their distribution gains too little for the time it takes. */
const MAX_VALUES = 2000;

export class StateMeasures {
  private readonly shape: ReturnType<typeof shapeOf>;
  private readonly space: ReportSpace;
  private readonly data: ReturnType<typeof triggerDataOf>;
  private readonly decoded = new Map<string, ReportState>();
  private readonly spreads = new Map<string, Spread>();

  private readonly areIndependent: boolean;

  constructor(configuration: OutputShape) {
    this.shape = shapeOf(configuration);
    this.areIndependent =
      !configuration.flexible &&
      this.shape.triggerData.every(({ maxReports }) => maxReports >= this.shape.maxReports);
    this.space = new ReportSpace(this.shape);
    this.data = triggerDataOf(configuration);
    this.all = [
      { kind: 'conversion-rate' },
      { kind: 'conversions' },
      ...this.data.map(({ triggerData }): StateQuantity => ({ kind: 'trigger-data', triggerData })),
      ...[...new Set(this.data.flatMap(({ spec }) => spec.windows.ends))]
        .sort((a, b) => a - b)
        .map((end): StateQuantity => ({ kind: 'window', windowEnd: end / 1000 })),
      ...this.data.flatMap(({ triggerData, spec }) =>
        spec.windows.ends.map((end): StateQuantity => {
          return { kind: 'trigger-data-and-window', triggerData, windowEnd: end / 1000 };
        }),
      ),
      ...(configuration.flexible ? this.bucketQuantities() : []),
    ];
  }

  /** Every quantity except the single states. */
  readonly all: readonly StateQuantity[];

  get states(): bigint {
    return this.space.states;
  }

  private bucketQuantities(): StateQuantity[] {
    const buckets = this.data.flatMap(({ triggerData, spec }) =>
      spec.summaryBuckets.map((_, bucket): StateQuantity => {
        return { kind: 'bucket', triggerData, bucket: bucketRange(spec, bucket) };
      }),
    );
    return [...buckets, { kind: 'value' }];
  }

  measure(quantity: StateQuantity): Measure {
    if (quantity.kind === 'state') return this.stateMeasure(quantity);
    const any = quantity.kind === 'conversion-rate';
    const parts = this.data.map((_, position) => this.part(quantity, position));
    const { mean, spread, shares } = any
      ? spreadOf(this.indicator(this.states - 1n), this.states)
      : this.spreadOfParts(parts);
    return {
      quantity,
      mean,
      spread,
      shares,
      adds: (output) => {
        const state = this.decode(output);
        if (any) return state.some((placed) => placed.length > 0) ? 1 : 0;
        return state.reduce((sum, placed, position) => sum + (parts[position]?.adds(placed) ?? 0), 0);
      },
    };
  }

  /**
   * A source falls into a class by its number of reports, and each report into a trigger data and window. If the reports of one trigger data
   * depend on each other, because they are the buckets of a value or have a limit of their own, the class has their number for each.
   */
  composition(output: string): Composition {
    const state = this.decode(output);
    const cells = state.map((placed, position) => placed.map((window) => `${position}/${window}`));
    return this.areIndependent
      ? { kind: String(cells.flat().length), lists: [cells.flat()] }
      : { kind: state.map((placed) => placed.length).join(), lists: cells };
  }

  private stateMeasure(quantity: Extract<Quantity, { kind: 'state' }>): Measure {
    const adds = (output: string): number => (output === quantity.state ? 1 : 0);
    return { quantity, adds, ...spreadOf(this.indicator(1n), this.states) };
  }

  private indicator(ones: bigint): Distribution {
    return new Map([
      [0, this.states - ones],
      [1, ones],
    ]);
  }

  /** Trigger data with the same shape have the same quantities, and are computed once. */
  private spreadOfParts(parts: readonly Part[]): Spread {
    const key = parts
      .map(({ key }, position) => `${key}/${this.windowsOf(position)}/${this.capOf(position)}`)
      .sort()
      .join(' ');
    let spread = this.spreads.get(key);
    if (spread === undefined) {
      const factor = (position: number, reports: number): Distribution =>
        parts[position]?.ways(reports) ?? new Map<number, bigint>();
      const distribution = distributionOverStates(this.shape, factor, MAX_VALUES);
      spread =
        distribution === null
          ? { ...meanAndSpread(momentsOverStates(this.shape, factor)), shares: null }
          : spreadOf(distribution, this.states);
      this.spreads.set(key, spread);
    }
    return spread;
  }

  /** What the trigger data at a position adds to a quantity. */
  private part(quantity: StateQuantity, position: number): Part {
    const windows = this.windowsOf(position);
    const { triggerData, spec } = this.entry(position);
    const byCount = (key: string, value: (reports: number) => number): Part => ({
      key,
      adds: (placed) => value(placed.length),
      ways: (reports) => new Map([[value(reports), multisets(windows, reports)]]),
    });
    const nothing = byCount('', () => 0);
    const inWindow = (windowEnd: number): Part => {
      const window = spec.windows.ends.findIndex((end) => end === windowEnd * 1000);
      return window < 0 ? nothing : windowPart(window, windows);
    };
    switch (quantity.kind) {
      case 'conversions':
        return byCount('count', (reports) => reports);
      case 'trigger-data':
        return quantity.triggerData === triggerData ? byCount('count', (reports) => reports) : nothing;
      case 'window':
        return inWindow(quantity.windowEnd);
      case 'trigger-data-and-window':
        return quantity.triggerData === triggerData ? inWindow(quantity.windowEnd) : nothing;
      case 'bucket': {
        const bucket = spec.summaryBuckets.indexOf(quantity.bucket[0]);
        return quantity.triggerData === triggerData
          ? byCount(`bucket ${bucket}`, (reports) => (reports > bucket ? 1 : 0))
          : nothing;
      }
      case 'value':
        return byCount(`value ${spec.summaryBuckets.join()}`, (reports) =>
          reports === 0 ? 0 : (spec.summaryBuckets[reports - 1] ?? 0),
        );
      case 'conversion-rate':
      case 'state':
        return nothing;
    }
  }

  private entry(position: number): ReturnType<typeof triggerDataOf>[number] {
    const entry = this.data[position];
    if (entry === undefined) throw new RangeError(`there is no trigger data at position ${position}`);
    return entry;
  }

  private windowsOf(position: number): number {
    return this.entry(position).spec.windows.ends.length;
  }

  private capOf(position: number): number {
    return this.entry(position).spec.summaryBuckets.length;
  }

  private decode(output: string): ReportState {
    let state = this.decoded.get(output);
    if (state === undefined) this.decoded.set(output, (state = this.space.decode(BigInt(output))));
    return state;
  }
}

interface Part {
  /** Equal for parts that differ only in their trigger data. */
  readonly key: string;
  readonly adds: (placed: readonly number[]) => number;
  /** The number of ways in which this many reports give each value. */
  ways(reports: number): Distribution;
}

/** Counts the reports that fall into one of the windows. */
const windowPart = (window: number, windows: number): Part => ({
  key: 'window',
  adds: (placed) => placed.filter((other) => other === window).length,
  ways: (reports) =>
    new Map(
      Array.from({ length: reports + 1 }, (_, here) => {
        const elsewhere = reports - here;
        return [here, windows > 1 ? multisets(windows - 1, elsewhere) : elsewhere === 0 ? 1n : 0n] as const;
      }),
    ),
});

type Spread = Pick<Measure, 'mean' | 'spread' | 'shares'>;

/** Mean and variance; the arithmetic is exact until the last step. */
function meanAndSpread({ ways, first, second }: ReturnType<typeof momentsOf>): {
  mean: number;
  spread: number;
} {
  return {
    mean: ratio(first, ways),
    spread: ratio(second * ways - first * first, ways * ways),
  };
}

function spreadOf(distribution: Distribution, states: bigint): Spread {
  const shares = new Map<number, number>();
  for (const [value, ways] of distribution) if (ways > 0n) shares.set(value, ratio(ways, states));
  return { ...meanAndSpread(momentsOf(distribution)), shares };
}

const ratio = (a: bigint, b: bigint): number => Rational.fraction(a, b).toNumber();

/** A measure over listed outputs that are equally likely. */
export function listedMeasure(
  quantity: Quantity,
  outputs: readonly string[],
  adds: (output: string) => number,
): Measure {
  const shares = new Map<number, number>();
  for (const output of outputs) {
    const value = adds(output);
    shares.set(value, (shares.get(value) ?? 0) + 1 / outputs.length);
  }
  let mean = 0;
  for (const [value, share] of shares) mean += share * value;
  let spread = 0;
  for (const [value, share] of shares) spread += share * (value - mean) ** 2;
  return { quantity, adds, mean, spread, shares };
}
