import { greatest } from '../../../numeric/extremes';
import { ReportSpace, type ReportState } from '../../../src/states/report-space';
import { bucketRange, shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { meanAndSpread, spreadOf, type Counted, type Measure, type Spread } from './measure';
import type { OutputShape, StateQuantity } from './quantities';
import type { Composition } from './response-model';
import { distributionOverStates, momentsOverStates, type Distribution } from './state-sums';
import { cellOf, partOf, reportSums, type Part } from './trigger-data-part';

/** With more values, knowing their distribution gains too little for the time it takes. */
const MAX_VALUES = 2000;
/** With more states, what each adds to each measure takes too much memory. */
const MAX_REMEMBERED = 10_000n;

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
    const adds = this.remembered((output) => {
      const state = this.decode(output);
      if (any) return state.some((placed) => placed.length > 0) ? 1 : 0;
      return state.reduce((sum, placed, position) => sum + (parts[position]?.adds(placed) ?? 0), 0);
    });
    const { mean, spread, shares } = any
      ? spreadOf(this.indicator(this.states - 1n), this.states)
      : this.spreadOfParts(parts);
    return {
      quantity,
      mean,
      spread,
      shares,
      ofReport: any ? null : reportSums(parts),
      counted: this.counted(quantity, { adds, shares }),
      adds,
    };
  }

  /** Each group asks again for the same outputs. */
  private remembered(adds: (output: string) => number): (output: string) => number {
    if (this.states > MAX_REMEMBERED) return adds;
    const known = new Float64Array(Number(this.states)).fill(NaN);
    return (output) => {
      const state = Number(output);
      const value = known[state] ?? NaN;
      return Number.isNaN(value) ? (known[state] = adds(output)) : value;
    };
  }

  private counted(quantity: StateQuantity, own: Pick<Measure, 'adds' | 'shares'>): Counted | null {
    switch (quantity.kind) {
      case 'conversion-rate':
        return countedBy(this.measure({ kind: 'conversions' }), (reports) => (reports > 0 ? 1 : 0));
      case 'bucket': {
        const { triggerData, bucket } = quantity;
        const spec = this.data.find((entry) => entry.triggerData === triggerData)?.spec;
        const place = spec?.summaryBuckets.indexOf(bucket[0]) ?? -1;
        return countedBy(this.measure({ kind: 'trigger-data', triggerData }), (reports) =>
          reports > place ? 1 : 0,
        );
      }
      case 'value':
      case 'state':
        return null;
      case 'conversions':
      case 'trigger-data':
      case 'window':
      case 'trigger-data-and-window':
        return countedBy(own, (reports) => reports);
    }
  }

  /**
   * A source falls into a class by its number of reports, and each report into a trigger data and window. If the reports of one trigger data
   * depend on each other, because they are the buckets of a value or have a limit of their own, the class has their number for each.
   */
  composition(output: string): Composition {
    const state = this.decode(output);
    const cells = state.map((placed, position) => placed.map((window) => cellOf(position, window)));
    const reports = cells.flat().length;
    return this.areIndependent
      ? { kind: String(reports), reports, isPossible: true, lists: [cells.flat()] }
      : { kind: state.map((placed) => placed.length).join(), reports, isPossible: true, lists: cells };
  }

  /**
   * All reports of a trigger data are in one window, as those of one conversion are. For each number of reports, the windows have shares of their own. Null
   * if there is no number of reports for each trigger data, or if none can have reports in two windows.
   */
  get sharing(): ((output: string) => Composition) | null {
    const canShare = this.data.some(
      (_, position) => this.windowsOf(position) > 1 && this.capOf(position) > 1,
    );
    if (this.areIndependent || !canShare) return null;
    return (output) => {
      const state = this.decode(output);
      const lists = state.flatMap((placed, position) =>
        Array.from({ length: this.capOf(position) }, (_, before) =>
          placed.length === before + 1 ? [cellOf(position, ...placed.map(() => placed[0] ?? 0))] : [],
        ),
      );
      const isPossible = state.every((placed) => placed.every((window) => window === placed[0]));
      return { ...this.composition(output), lists, isPossible };
    };
  }

  private stateMeasure(quantity: Extract<StateQuantity, { kind: 'state' }>): Measure {
    const adds = (output: string): number => (output === quantity.state ? 1 : 0);
    return { quantity, adds, ofReport: null, counted: null, ...spreadOf(this.indicator(1n), this.states) };
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

  private part(quantity: StateQuantity, position: number): Part {
    return partOf(quantity, this.entry(position));
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

/** @param value of a number of reports. */
function countedBy(
  { adds, shares }: Pick<Measure, 'adds' | 'shares'>,
  value: (reports: number) => number,
): Counted | null {
  if (shares === null) return null;
  const numbers = Array.from({ length: greatest([...shares.keys()]) + 1 }, (_, reports) => reports);
  return {
    reports: adds,
    shares: numbers.map((reports) => shares.get(reports) ?? 0),
    values: numbers.map(value),
  };
}
