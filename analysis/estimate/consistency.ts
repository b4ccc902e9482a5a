import { bucketRange, triggerDataOf } from '../../src/states/source-space';
import { bringToSum, fitSums, neverRising, type Part, type SumEstimate } from './least-squares';
import type { OutputShape, Quantity } from './quantities';
import type { Estimate } from './response-estimate';

/** The estimates of one group: all sources, a campaign, or a creative of that campaign. */
export interface GroupEstimates {
  readonly group: readonly string[];
  readonly sources: number;
  readonly estimates: readonly { readonly quantity: Quantity; readonly estimate: Estimate }[];
}

/** By group (as JSON of its features), then by quantity (as JSON): the consistent number. */
export type Consistent = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Consistent estimates: none below 0, and parts that add up. The unknowns are the conversions of each smallest group by trigger data and
 * window. They are fitted to all estimates of their sums, for every group and margin, by weighted least squares. Then they are reduced to
 * what the group's sources can have, per trigger data and in total. (Without bounds nothing would change: estimates are linear in the same
 * reports, and already add up.) Buckets are adjusted to the conversions of their trigger data, and never rise. The number of sources with a
 * conversion is fitted separately over the groups, and then adjusted to what these conversions allow. Larger groups get the sums of their
 * parts.
 */
export function consistentEstimates(shape: OutputShape, groups: readonly GroupEstimates[]): Consistent {
  const agreed = new Agreed(groups);
  const cells = cellsOf(shape);
  const conversions = fitOver(agreed, cells, conversionMargins, ({ most }) => most);
  const rates = fitOver(agreed, [null], rateMargin, () => 1);
  agreed.last.forEach((group, index) => {
    const own = boundedCells(shape, group, cells, conversions[index] ?? []);
    for (const { quantity } of group.estimates) {
      const isPart = conversionMargins(quantity);
      if (isPart !== null)
        agreed.set(group, quantity, sumOf(cells.map((cell, at) => (isPart(cell) ? (own[at] ?? 0) : 0))));
    }
    if (shape.flexible) fitBuckets(shape, group, agreed);
    const [converted] = rates[index] ?? [];
    if (converted !== undefined) fitRate(shape, group, agreed, converted);
  });
  agreed.sumUp(({ kind }) => kind !== 'state' && kind !== 'state-with-share');
  return agreed.values;
}

/** Consistent counts of all outputs: none below 0, and in each smallest group as many as sources. */
export function consistentCounts(
  quantities: readonly Quantity[],
  groups: readonly GroupEstimates[],
): Consistent {
  const agreed = new Agreed(groups);
  for (const group of agreed.last) {
    const parts = quantities.map((quantity) => partOf(group, quantity, 1));
    bringToSum(parts, group.sources).forEach((value, index) => agreed.set(group, quantities[index], value));
  }
  agreed.sumUp((quantity) => quantities.includes(quantity));
  return agreed.values;
}

/** Replaces a variance of 0, which cannot be a divisor. */
const NO_VARIANCE = 1e-12;

/** The consistent numbers so far, and which groups are parts of which. */
class Agreed {
  readonly values: ReadonlyMap<string, Map<string, number>>;
  /** The groups without parts. */
  readonly last: readonly GroupEstimates[];

  constructor(readonly groups: readonly GroupEstimates[]) {
    this.values = new Map(groups.map(({ group }) => [JSON.stringify(group), new Map<string, number>()]));
    const depth = Math.max(...groups.map(({ group }) => group.length));
    this.last = groups.filter(({ group }) => group.length === depth);
  }

  set({ group }: GroupEstimates, quantity: Quantity | undefined, value: number): void {
    if (quantity !== undefined) this.values.get(JSON.stringify(group))?.set(JSON.stringify(quantity), value);
  }

  get({ group }: GroupEstimates, quantity: Quantity): number {
    return this.values.get(JSON.stringify(group))?.get(JSON.stringify(quantity)) ?? 0;
  }

  /** The smallest groups in a group; for a smallest group, itself. */
  partsOf({ group }: GroupEstimates): readonly GroupEstimates[] {
    return this.last.filter((part) => group.every((feature, index) => feature === part.group[index]));
  }

  /** Gives larger groups the sums of their smallest groups. */
  sumUp(isSummed: (quantity: Quantity) => boolean): void {
    for (const whole of this.groups) {
      if (this.last.includes(whole)) continue;
      const parts = this.partsOf(whole);
      for (const { quantity } of whole.estimates) {
        if (!isSummed(quantity)) continue;
        const isRate = quantity.kind === 'conversion-rate';
        const sums = parts.map((part) => this.get(part, quantity) * (isRate ? part.sources : 1));
        this.set(whole, quantity, sumOf(sums) / (isRate ? whole.sources : 1));
      }
    }
  }
}

/**
 * Fits one unknown for each cell of each smallest group.
 * @param margin which cells a quantity sums; null for other kinds of quantity.
 * @returns the cells of each smallest group; none when no sum of them was estimated.
 */
function fitOver<Cell>(
  agreed: Agreed,
  cells: readonly Cell[],
  margin: (quantity: Quantity) => ((cell: Cell) => boolean) | null,
  mostPerSource: (cell: Cell) => number,
): readonly (readonly number[])[] {
  const positions = new Map(agreed.last.map((group, index) => [group, index * cells.length]));
  const sums: SumEstimate[] = [];
  for (const group of agreed.groups) {
    const starts = agreed.partsOf(group).map((part) => positions.get(part) ?? 0);
    for (const { quantity } of group.estimates) {
      const isPart = margin(quantity);
      if (isPart === null) continue;
      const own = cells.flatMap((cell, index) => (isPart(cell) ? [index] : []));
      const { estimate, variance } = partOf(group, quantity, 0);
      const of = starts.flatMap((start) => own.map((index) => start + index));
      sums.push({ of, estimate, variance: Math.max(variance, NO_VARIANCE) });
    }
  }
  if (sums.length === 0) return [];
  const most = agreed.last.flatMap(({ sources }) => cells.map((cell) => mostPerSource(cell) * sources));
  const values = fitSums(sums, most);
  return agreed.last.map((_, index) => values.slice(index * cells.length, (index + 1) * cells.length));
}

interface Cell {
  readonly triggerData: number;
  readonly windowEnd: number;
  /** The most conversions of one source. */
  readonly most: number;
}

const cellsOf = (shape: OutputShape): readonly Cell[] =>
  triggerDataOf(shape).flatMap(({ triggerData, spec }) =>
    spec.windows.ends.map((end) => ({ triggerData, windowEnd: end / 1000, most: mostReports(shape, spec) })),
  );

/** The most reports of one source for trigger data of the spec. */
const mostReports = (
  { maxEventLevelReports }: OutputShape,
  { summaryBuckets }: OutputShape['triggerSpecs'][number],
): number => Math.min(summaryBuckets.length, maxEventLevelReports);

/** Reduces the cells of a group to what its sources can have, for each trigger data and then in total. */
function boundedCells(
  shape: OutputShape,
  group: GroupEstimates,
  cells: readonly Cell[],
  fitted: readonly number[],
): readonly number[] {
  const values = [...fitted];
  const bound = (isPart: (cell: Cell) => boolean, most: number): void => {
    const own = cells.flatMap((cell, index) => (isPart(cell) ? [index] : []));
    const parts = own.map((index): Part => {
      const cell = cells[index];
      const value = values[index] ?? 0;
      return { estimate: value, variance: cell === undefined ? 0 : cellVariance(group, cell), most: value };
    });
    if (sumOf(own.map((index) => values[index] ?? 0)) > most)
      bringToSum(parts, most).forEach((value, part) => (values[own[part] ?? -1] = value));
  };
  for (const { triggerData, spec } of triggerDataOf(shape))
    bound((cell) => cell.triggerData === triggerData, mostReports(shape, spec) * group.sources);
  bound(() => true, shape.maxEventLevelReports * group.sources);
  return values;
}

const cellVariance = (group: GroupEstimates, { triggerData, windowEnd }: Cell): number =>
  Math.max(
    partOf(group, { kind: 'trigger-data-and-window', triggerData, windowEnd }, 0).variance,
    NO_VARIANCE,
  );

/**
 * A source with a conversion has from one to the maximum, and no more of each trigger data than it has buckets. A source that reached a
 * bucket has a conversion.
 */
function fitRate(shape: OutputShape, group: GroupEstimates, agreed: Agreed, fitted: number): void {
  const conversions = agreed.get(group, { kind: 'conversions' });
  const byData = triggerDataOf(shape).map(({ triggerData, spec }) => ({
    conversions: agreed.get(group, { kind: 'trigger-data', triggerData }),
    most: mostReports(shape, spec),
    reached: agreed.get(group, { kind: 'bucket', triggerData, bucket: bucketRange(spec, 0) }),
  }));
  const least = Math.max(
    conversions / Math.max(shape.maxEventLevelReports, 1),
    ...byData.map(({ conversions: own, most, reached }) => Math.max(own / Math.max(most, 1), reached)),
  );
  const most = Math.min(
    group.sources,
    conversions,
    shape.flexible ? sumOf(byData.map(({ reached }) => reached)) : Infinity,
  );
  agreed.set(group, { kind: 'conversion-rate' }, Math.min(Math.max(fitted, least), most) / group.sources);
}

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

function conversionMargins(
  quantity: Quantity,
): ((cell: Pick<Cell, 'triggerData' | 'windowEnd'>) => boolean) | null {
  const { kind } = quantity;
  if (kind === 'conversions') return () => true;
  if (kind === 'trigger-data') return ({ triggerData }) => triggerData === quantity.triggerData;
  if (kind === 'window') return ({ windowEnd }) => windowEnd === quantity.windowEnd;
  if (kind === 'trigger-data-and-window')
    return ({ triggerData, windowEnd }) =>
      triggerData === quantity.triggerData && windowEnd === quantity.windowEnd;
  return null;
}

const rateMargin = ({ kind }: Quantity): (() => boolean) | null =>
  kind === 'conversion-rate' ? () => true : null;

function fitBuckets(shape: OutputShape, group: GroupEstimates, agreed: Agreed): void {
  let value = 0;
  for (const { triggerData, spec } of triggerDataOf(shape)) {
    const buckets = spec.summaryBuckets.map((_, bucket): Quantity => {
      return { kind: 'bucket', triggerData, bucket: bucketRange(spec, bucket) };
    });
    const conversions = agreed.get(group, { kind: 'trigger-data', triggerData });
    const parts = buckets.map((bucket) => partOf(group, bucket, 1));
    neverRising(bringToSum(parts, conversions)).forEach((reached, bucket) => {
      agreed.set(group, buckets[bucket], reached);
      value += reached * ((spec.summaryBuckets[bucket] ?? 0) - (spec.summaryBuckets[bucket - 1] ?? 0));
    });
  }
  agreed.set(group, { kind: 'value' }, value);
}

function partOf(group: GroupEstimates, quantity: Quantity, mostPerSource: number): Part {
  const key = JSON.stringify(quantity);
  const found = group.estimates.find((candidate) => JSON.stringify(candidate.quantity) === key);
  if (found === undefined) throw new RangeError(`there is no estimate of ${key}`);
  const scale = quantity.kind === 'conversion-rate' ? group.sources : 1;
  return {
    estimate: found.estimate.estimate * scale,
    variance: found.estimate.variance * scale ** 2,
    most: mostPerSource * group.sources,
  };
}
