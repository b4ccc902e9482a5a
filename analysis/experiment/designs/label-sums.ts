import { constant, record } from '../../../formats/codec/record';
import { CONTRIBUTION_BUDGET } from '../../../src/model/aggregatable';
import { GroupSums, type BucketNoise, type Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import type { GroupResult } from '../result';
import { conversionsField, type SummaryContender, type SummaryDesign } from './design';
import { GroupNumbers } from './group-numbers';
import { bucketOf } from './histogram';

interface LabelSumsApi {
  readonly kind: 'label-sums';
  readonly conversions: number;
}

export const labelSums: SummaryContender<LabelSumsApi> = {
  codec: record<LabelSumsApi>({ kind: constant('kind', 'label-sums'), conversions: conversionsField }),
  designOf: (_, levels, sources) => new LabelSums(levels, sources),
  problem: ({ conversions }, levels) =>
    conversions * levels <= CONTRIBUTION_BUDGET
      ? null
      : `must have at most ${Math.floor(CONTRIBUTION_BUDGET / levels)} conversions with api "label-sums" and ${levels} levels in measure.levels, which share a contribution of ${CONTRIBUTION_BUDGET}, had ${conversions}`,
};

/** Label sums (Xᵀy): for each level, a bucket for each of its groups. Each conversion adds to one bucket of each level. */
export class LabelSums implements SummaryDesign {
  readonly keys: number;
  private readonly numbers = new GroupNumbers();
  private readonly places: readonly (readonly number[])[];
  private readonly levelOfKey = new Map<number, number>();
  private readonly sums: readonly GroupSums[];

  /** @param sources of the log. */
  constructor(
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
  ) {
    this.keys = levels.levels.length;
    this.places = levels.levels.map((level) => level.map((column) => levels.columns.indexOf(column)));
    this.sums = levels.levels.map(
      (_, level) =>
        new GroupSums(
          new Map(
            sources.map(({ reportingOrigin, group }) => [
              bucketOf(reportingOrigin, this.keyOf(group, level)),
              group,
            ]),
          ),
        ),
    );
  }

  keysOf(_: string, group: readonly string[]): readonly number[] {
    return this.places.map((_, level) => this.keyOf(group, level));
  }

  private keyOf(group: readonly string[], level: number): number {
    const values = this.places[level]?.map((place) => group[place] ?? '') ?? [];
    const key = this.numbers.of([String(level), ...values]);
    this.levelOfKey.set(key, level);
    return key;
  }

  add(reportingOrigin: string, key: number, value: number): void {
    this.sums[this.levelOfKey.get(key) ?? 0]?.add(bucketOf(reportingOrigin, key), value);
  }

  results(unit: number, noise: BucketNoise | null): readonly GroupResult[] {
    const { levels } = this.levels;
    return this.sums.flatMap((sums, index) =>
      sums
        .results({ ...this.levels, levels: levels.slice(index, index + 1) }, unit, noise)
        .map((found) => ({ ...found, level: index })),
    );
  }
}
