import { seededRandomStreams } from '../../../analysis/random/sources';
import { parseEventLevelReport } from '../../../collector/intake/report-body';
import type { ReceivedReport } from '../../../collector/store/reports';

const ORIGINS = ['https://ads.example', 'https://other.example'];
export const SITES = ['https://hats.example', 'https://shoes.example', 'https://bags.example'];
export const START = Date.parse('2026-01-01T00:00:00Z');
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A report of the source with this number, which need not be in the log. */
export interface Sent {
  readonly source: number;
  readonly report: ReceivedReport;
}

const WINDOW_ENDS = [HOUR, 2 * DAY];
const windows = { event_report_windows: { end_times: WINDOW_ENDS.map((end) => end / 1000) } };
const REGISTRATIONS: readonly object[] = [
  { registration: windows },
  { registration: { ...windows, event_level_epsilon: 0 } },
  { registration: windows, mechanism: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] }, epsilon: 1 },
  { registration: { ...windows, max_event_level_reports: 1 } },
  { registration: { event_report_windows: { end_times: [3600] } } },
];

const originOf = (source: number): string => ORIGINS[source % 2] ?? '';

/** What reports repeat of their source. */
const partiesOf = (
  source: number,
): { readonly destination: readonly string[]; readonly source_type: string } => ({
  destination: [SITES.slice(0, 1), SITES.slice(1, 2), SITES.slice(0, 2), SITES.slice(2)][source % 4] ?? [],
  source_type: source % 3 === 0 ? 'navigation' : 'event',
});

/** Random sources and reports, some of which belong together. */
export class Workload {
  readonly #random;
  readonly #times = new Map<number, number>();

  /** @param days over how many days everything happens. */
  constructor(
    seed: string,
    private readonly days: number,
  ) {
    this.#random = seededRandomStreams(seed)(0);
  }

  below(bound: number): number {
    return Number(this.#random.uint64() % BigInt(bound));
  }

  private of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T; // there is at least one
  }

  private timeOf(source: number): number {
    const time = this.#times.get(source) ?? START + this.below(this.days * DAY);
    this.#times.set(source, time);
    return time;
  }

  row(source: number): object {
    const { destination, source_type } = partiesOf(source);
    return {
      source_event_id: String(source),
      reporting_origin: originOf(source),
      // The log may name another origin of the site than reports do.
      destination: source % 4 === 3 ? 'https://www.bags.example' : destination,
      source_type,
      // One that is logged again may be of another time.
      time: this.timeOf(source) + (this.below(10) === 0 ? 1000 : 0),
      ...REGISTRATIONS[source % REGISTRATIONS.length],
      ...(this.below(3) === 0 ? {} : { campaign: this.of(['spring', 'summer', 7]) }),
    };
  }

  /** The end of a report window, or any time. */
  private dueTime(source: number): number {
    if (this.below(6) === 0) return START + this.below(this.days * DAY);
    return this.timeOf(source) + this.of(WINDOW_ENDS) + this.below(30_000);
  }

  report(source: number, id: number): Sent {
    const due = 1000 * Math.floor(this.dueTime(source) / 1000);
    const receivedTime = new Date(due + this.below(this.of([50, 100 * 60, 100 * 3600])) * 1000 - 10_000);
    const { destination, source_type } = partiesOf(this.below(12) === 0 ? source + 1 : source);
    const body = {
      attribution_destination: destination.length === 1 ? destination[0] : destination,
      ...this.of([{ randomized_trigger_rate: 0.1 }, { noisy_value: this.below(2) }]),
      report_id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
      scheduled_report_time: String(due / 1000),
      source_event_id: String(source),
      source_type,
      trigger_data: String(this.below(4)),
    };
    const { value: eventLevel } = parseEventLevelReport(body as never, receivedTime);
    if (eventLevel === null) throw new Error('the report must be valid');
    const { reportId } = eventLevel;
    const reportingOrigin = originOf(source);
    return {
      source,
      report: {
        kind: this.below(10) === 0 ? 'event-level-debug' : 'event-level',
        reportId,
        reportingOrigin,
        reportUrl: null,
        receivedTime,
        body: JSON.stringify(body),
        eventLevel,
      },
    };
  }
}
