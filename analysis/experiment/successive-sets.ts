import type { Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { below } from '../simulation/draws';
import { bucketName } from '../w3c/profile';
import { sourcesIn } from './logged-sources';

interface Source {
  readonly time: Moment;
  readonly group: string;
  /** In the order of the sources of its site; set once all are known. */
  place: number;
}

/** The sources that can lead to conversions of one site, in the order of their times, and the conversions to which one of them led. */
class SourceSequence {
  private readonly sources: Source[] = [];
  private readonly conversions: { readonly led: Source; readonly value: number }[] = [];

  add(source: Source): void {
    this.sources.push(source);
  }

  addConversion(led: Source, value: number): void {
    this.conversions.push({ led, value });
  }

  /**
   * Draws a set for each conversion: `size` sources that follow each other. Each such run with the source that led is as likely. Calls back with
   * the values of all sets that have a source.
   */
  draw(size: number, random: RandomSource, onMember: (group: string, value: number) => void): void {
    this.sources.sort((a, b) => a.time - b.time);
    this.sources.forEach((source, place) => (source.place = place));
    // By how much more the sets have of a source than of the one before.
    const more = new Float64Array(this.sources.length + 1);
    for (const { led, value } of this.conversions) {
      const first = Math.max(0, led.place - size + 1);
      const last = Math.min(led.place, this.sources.length - size);
      const start = below(random, last - first + 1, 1, first);
      more[start] = (more[start] ?? 0) + value;
      more[start + size] = (more[start + size] ?? 0) - value;
    }
    let value = 0;
    this.sources.forEach(({ group }, place) => {
      value += more[place] ?? 0;
      onMember(group, value);
    });
  }
}

/** Of all sites, by a key for each reporting origin and conversion site. */
export class SourceSequences {
  private readonly bySite = new Map<string, SourceSequence>();

  /** @returns finds the last source of a site and group that a person had, up to a time. */
  addPerson(
    events: readonly ScenarioEvent[],
    columns: readonly string[],
    keysOf: (source: ReturnType<typeof sourcesIn>[number]) => readonly string[],
  ): (key: string, group: string, time: Moment) => Source | undefined {
    const own: (Source & { readonly key: string })[] = [];
    for (const event of events)
      for (const source of sourcesIn(event, columns))
        for (const key of keysOf(source)) {
          const seen = { key, time: event.time, group: bucketName(source.group), place: 0 };
          own.push(seen);
          this.of(key).add(seen);
        }
    return (key, group, time) =>
      own.findLast((source) => source.key === key && source.group === group && source.time <= time);
  }

  of(key: string): SourceSequence {
    const found = this.bySite.get(key) ?? new SourceSequence();
    this.bySite.set(key, found);
    return found;
  }
}
