import { AMBIGUOUS, OPEN } from './joined-groups';
import { FLOODED, type SourceRules } from './source-outputs';

/** Counts sources by output, and the reasons why others are not used. */
export class SourceTally {
  readonly outputs = new Map<number, Map<string, number>>();
  readonly counts = {
    used: 0,
    missing: 0,
    impossible: 0,
    flooded: 0,
    ambiguous: 0,
    heartbeats: 0,
    unknownConfiguration: 0,
    open: 0,
    incomplete: 0,
  };

  /** @param number stands in place of a group's. */
  addUnused(number: number, sources: number): void {
    if (number === AMBIGUOUS) this.counts.ambiguous += sources;
    else if (number === OPEN) this.counts.open += sources;
    else this.counts.unknownConfiguration += sources;
  }

  /**
   * @param number of the group.
   * @param output as `SourceOutputs` gives it; null: the value is missing.
   * @param incomplete how many of the sources lack the report of a lower summary bucket.
   */
  add(
    number: number,
    { estimator, isHeartbeat }: SourceRules,
    output: string | null,
    sources: number,
    incomplete: number,
  ): void {
    if (output === null) this.counts.missing += sources;
    else if (output === FLOODED) this.counts.flooded += sources;
    else if (!estimator.isOutput(output)) this.counts.impossible += sources;
    else {
      if (isHeartbeat) this.counts.heartbeats += sources;
      else this.counts.used += sources;
      this.counts.incomplete += incomplete;
      const tally = this.outputs.get(number) ?? new Map<string, number>();
      if (sources > 0) tally.set(output, (tally.get(output) ?? 0) + sources);
      if (tally.size > 0) this.outputs.set(number, tally);
    }
  }
}
