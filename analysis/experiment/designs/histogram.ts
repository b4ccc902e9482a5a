import { constant, record } from '../../../formats/codec/record';
import { GroupSums, type BucketNoise, type Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import type { GroupResult } from '../result';
import { GroupNumbers } from './group-numbers';
import { conversionsField, type SummaryContender, type SummaryDesign } from './design';

interface HistogramApi {
  readonly kind: 'summary';
  readonly conversions: number;
}

export const histogram: SummaryContender<HistogramApi> = {
  codec: record<HistogramApi>({ kind: constant('kind', 'summary'), conversions: conversionsField }),
  designOf: (_, levels, sources) => new Histogram(levels, sources),
};

/** One histogram: a bucket for each group by all columns. */
export class Histogram implements SummaryDesign {
  readonly keys = 1;
  private readonly numbers = new GroupNumbers();
  private readonly sums: GroupSums;

  /** @param sources of the log. */
  constructor(
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
  ) {
    this.sums = new GroupSums(
      new Map(
        sources.map(({ reportingOrigin, group }) => [
          bucketOf(reportingOrigin, this.numbers.of(group)),
          group,
        ]),
      ),
    );
  }

  keysOf(_: string, group: readonly string[]): readonly number[] {
    return [this.numbers.of(group)];
  }

  add(reportingOrigin: string, key: number, value: number): void {
    this.sums.add(bucketOf(reportingOrigin, key), value);
  }

  results(unit: number, noise: BucketNoise | null): readonly GroupResult[] {
    return this.sums.results(this.levels, unit, noise);
  }
}

export const bucketOf = (reportingOrigin: string, key: number): string => `${reportingOrigin} ${key}`;
