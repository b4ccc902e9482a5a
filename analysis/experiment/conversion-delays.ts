import { isJsonObject } from '../../src/model/json';
import { days, hours, type Moment, type Site } from '../../src/model/units';
import { parseJsonHeader } from '../../formats/registration/header';
import { siteOfUrl } from '../../src/model/site';
import type { ReplayOutcome } from '../scenario/replay';
import type { RunResult } from './result';

const CLASSES = [
  { what: 'within 1 hour', most: hours(1) },
  { what: 'within 1 day', most: days(1) },
  { what: 'within 2 days', most: days(2) },
  { what: 'within 7 days', most: days(7) },
  { what: 'within 30 days', most: days(30) },
  { what: 'later', most: Infinity },
] as const;

const WITHOUT_SOURCE = 'without a source';

/** Counts conversions by the time since the last source before them, and how many made a report. */
export class ConversionDelays {
  private readonly counts = new Map<string, { count: number; reported: number }>();
  private readonly last = new Map<string, Moment>();

  /** Starts another person. */
  begin(): void {
    this.last.clear();
  }

  /** @param isReported whether a trigger made a report. */
  add(outcome: ReplayOutcome, isReported: boolean): void {
    if (outcome.kind === 'source')
      for (const site of destinationsOf(outcome.header))
        this.last.set(`${outcome.reportingOrigin} ${site}`, outcome.time);
    if (outcome.kind !== 'trigger') return;
    const before = this.last.get(`${outcome.reportingOrigin} ${outcome.contextSite}`);
    const delay = before === undefined ? null : outcome.time - before;
    const what =
      delay === null ? WITHOUT_SOURCE : (CLASSES.find(({ most }) => delay <= most)?.what ?? WITHOUT_SOURCE);
    const known = this.counts.get(what) ?? { count: 0, reported: 0 };
    known.count += 1;
    if (isReported) known.reported += 1;
    this.counts.set(what, known);
  }

  /** In order of the delay. */
  result(): RunResult['delays'] {
    return [...CLASSES.map(({ what }) => what), WITHOUT_SOURCE].map((what) => ({
      what,
      ...(this.counts.get(what) ?? { count: 0, reported: 0 }),
    }));
  }
}

/** The destinations in a source's header. */
export function destinationsOf(header: string): readonly Site[] {
  const json = parseJsonHeader(header).value;
  const destination = isJsonObject(json) ? (json['destination'] ?? null) : null;
  return [destination].flat().flatMap((url) => {
    const site = typeof url === 'string' ? siteOfUrl(url) : null;
    return site === null ? [] : [site];
  });
}
