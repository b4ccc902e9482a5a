import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import type { OpenPayload } from '../../formats/reports/sealed-payload';
import { histogramIn, type ReportContext, type SealedReport } from '../../w3c/report';
import { noiseScale, withNoise, type NoisySum } from './aggregate';

/** Why a report is not counted. */
export type Rejection =
  /** Another report with this id came earlier. */
  | 'duplicate'
  /** The report has another caller, conversion site, length or maximum than the first one. */
  | 'other-task'
  /** The conversion paid less than the sum reveals. */
  | 'too-little-budget'
  /** Sealed for a key that is not among ours. */
  | 'unknown-key'
  /** Changed, or not sealed for the key that it names. */
  | 'not-opened'
  /** What was sealed is no histogram of this length and maximum. */
  | 'invalid-histogram';

/** What reports must have in common to be added up (W3C Attribution, "DAP Extensions"). */
export type Task = Pick<ReportContext, 'collector' | 'budgetSource' | 'length' | 'maxValue'>;

/** A bucket as the aggregation service publishes it. */
export interface BucketSum extends NoisySum {
  readonly bucket: number;
}

/** The reports that are added up together. */
export class ServiceBatch {
  readonly reportIds = new Set<string>();
  readonly rejected = new Map<Rejection, number>();
  private sums: number[] = [];
  private first: Task | null = null;

  constructor(
    private readonly epsilon: Rational,
    private readonly privateKeys: ReadonlyMap<string, Uint8Array>,
    private readonly open: OpenPayload,
  ) {}

  /** That of the first report; null while there is none. */
  get task(): Task | null {
    return this.first;
  }

  /** Adds a report, or returns why it does not count. */
  async add(report: SealedReport): Promise<Rejection | null> {
    const histogram = this.foreign(report.context) ?? (await this.opened(report));
    if (typeof histogram === 'string') {
      this.rejected.set(histogram, (this.rejected.get(histogram) ?? 0) + 1);
      return histogram;
    }
    this.first ??= report.context;
    this.reportIds.add(report.context.reportId);
    this.sums = histogram.map((value, index) => value + (this.sums[index] ?? 0));
    return null;
  }

  /** A row for each bucket, also for empty ones. */
  publish(random: RandomSource): readonly BucketSum[] {
    const { sums, scale } = this.beforeNoise();
    return withNoise(sums, scale, random).map((sum, bucket) => ({ bucket, ...sum }));
  }

  /** What is published, before noise of this scale is added. The audit goes through all such noise. */
  beforeNoise(): { readonly sums: readonly number[]; readonly scale: Rational } {
    return { sums: this.sums, scale: noiseScale(this.first?.maxValue ?? 1, this.epsilon) };
  }

  private foreign(context: ReportContext): Rejection | null {
    const { first } = this;
    if (first !== null && taskOf(first) !== taskOf(context)) return 'other-task';
    if (Rational.of(context.microepsilons).compare(this.epsilon.times(Rational.of(1_000_000))) < 0n)
      return 'too-little-budget';
    return this.reportIds.has(context.reportId) ? 'duplicate' : null;
  }

  private async opened({
    context,
    contextText,
    keyId,
    sealed,
  }: SealedReport): Promise<Rejection | readonly number[]> {
    const key = this.privateKeys.get(keyId);
    if (key === undefined) return 'unknown-key';
    const payload = await this.open(sealed, contextText, key);
    if (payload === null) return 'not-opened';
    return histogramIn(payload, context) ?? 'invalid-histogram';
  }
}

const taskOf = ({ collector, budgetSource, length, maxValue }: Task): string =>
  JSON.stringify([collector, budgetSource, length, maxValue]);
