import { decisionsOf } from '../../src/model/decision';
import type { Json, JsonObject } from '../../src/model/json';
import type { Moment } from '../../src/model/units';
import { siteOfUrl } from '../../src/parsing/site';
import type { ReplayOutcome } from '../scenario/replay';

/** A stored source of a journey. */
export interface Touch {
  readonly channel: string;
  readonly time: Moment;
  readonly priority: bigint;
  /** Of the source log. */
  readonly row: JsonObject;
}

/** All sources of one person for one destination and reporting origin, and the conversions there, both in order of time. */
export interface Journey {
  readonly touches: readonly Touch[];
  readonly conversions: readonly Moment[];
}

/** Collects the journeys of one person. */
export class Journeys {
  private readonly known = new Map<string, { readonly touches: Touch[]; readonly conversions: Moment[] }>();

  /** @param column of the source log, whose values are the channels */
  constructor(private readonly column: string) {}

  /** @param row of the source log, if a source was stored */
  add(outcome: ReplayOutcome, row: JsonObject | null): void {
    if (outcome.kind === 'source' && row !== null) {
      const channel = textOf(row[this.column]);
      const priority = priorityOf(row);
      // A source with several destinations is part of the journey to the first.
      const [destination] = [row['destination']].flat();
      const site = siteOfUrl(textOf(destination)) ?? '';
      this.to(outcome.reportingOrigin, site).touches.push({ channel, time: outcome.time, priority, row });
    }
    if (outcome.kind === 'trigger' && !decisionsOf(outcome.decision).some(isRepeated))
      this.to(outcome.reportingOrigin, outcome.contextSite).conversions.push(outcome.time);
  }

  /** Those with sources. */
  all(): readonly Journey[] {
    return [...this.known.values()].filter(({ touches }) => touches.length > 0);
  }

  private to(reportingOrigin: string, site: string): { touches: Touch[]; conversions: Moment[] } {
    const key = `${reportingOrigin} ${site}`;
    const known = this.known.get(key) ?? { touches: [], conversions: [] };
    this.known.set(key, known);
    return known;
  }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const isRepeated = (decision: { readonly kind: string; readonly reason?: string }): boolean =>
  decision.reason === 'trigger-event-deduplicated';

function priorityOf({ registration }: JsonObject): bigint {
  const given =
    typeof registration === 'object' && registration !== null && 'priority' in registration
      ? registration['priority']
      : undefined;
  return typeof given === 'string' ? BigInt(given) : 0n;
}

/** The channels of a journey, in order. */
export const channelsOf = ({ touches }: Pick<Journey, 'touches'>): readonly string[] =>
  [...new Set(touches.map(({ channel }) => channel))].sort();

/** The channel of the last source before the first conversion of a person's journeys; null without one. */
export function firstConverting(journeys: readonly Journey[]): string | null {
  const [first] = journeys
    .flatMap(({ touches, conversions }) =>
      conversions.map((time) => ({ time, touch: touches.findLast((touch) => touch.time <= time) })),
    )
    .filter(({ touch }) => touch !== undefined)
    .sort((a, b) => a.time - b.time);
  return first?.touch?.channel ?? null;
}
