import { decisionsOf, type LogEntry, type TriggerDecision } from '../../src/model/decision';
import type { Json, JsonObject } from '../../src/model/json';
import type { Moment } from '../../src/model/units';
import { siteOfUrl } from '../../src/model/site';

/** A stored source of a journey. */
export interface Touch {
  readonly channel: string;
  readonly time: Moment;
  readonly priority: bigint;
  /** The row of the source log. */
  readonly row: JsonObject;
}

/** All sources of one person for one destination and reporting origin, and the conversions there, both in order of time. */
export interface Journey {
  readonly touches: readonly Touch[];
  readonly conversions: readonly Moment[];
}

type Happened = Pick<LogEntry, 'reportingOrigin' | 'time'>;

/** Collects the journeys of one person. */
export class Journeys {
  private readonly known = new Map<string, { readonly touches: Touch[]; readonly conversions: Moment[] }>();

  /** @param column of the source log, whose values are the channels */
  constructor(private readonly column: string) {}

  /** @param row of the source log, for a source that was stored */
  addSource({ reportingOrigin, time }: Happened, row: JsonObject): void {
    const channel = textOf(row[this.column]);
    // A source with several destinations is part of the journey to the first.
    const [destination] = [row['destination']].flat();
    const site = siteOfUrl(textOf(destination)) ?? '';
    this.to(reportingOrigin, site).touches.push({ channel, time, priority: priorityOf(row), row });
  }

  addConversion({ reportingOrigin, contextSite, time }: Happened & Pick<LogEntry, 'contextSite'>): void {
    this.to(reportingOrigin, contextSite).conversions.push(time);
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

/** Whether a conversion was deduplicated; only a source that was not noised deduplicates. */
export const isRepeated = (decision: TriggerDecision): boolean =>
  decisionsOf(decision).some((one) => one.kind === 'dropped' && one.reason === 'trigger-event-deduplicated');

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
