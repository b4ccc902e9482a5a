import { chromiumLimits } from '../../src/model/limits';
import type { Json } from '../../src/model/recording-rule';
import { after, moment } from '../../src/model/units';
import { seededRandomStreams } from '../../src/privacy/random-source';
import type { Parsed } from '../../src/registration/issues';
import type { ScenarioReport } from '../../src/scenario/scenario';
import { arrivalDelay, demoSettings, demoUser } from '../../src/simulation/demo-month';
import { parseLogLine } from '../../src/simulation/log-line';
import { simulateUser, type Simulation } from '../../src/simulation/user';
import { parseEventLevelReport } from '../report-body';
import { readSources } from '../sources/read-sources';
import type { ReceivedReport } from '../store/reports';
import type { CollectorStore } from '../store/store';

export interface DemoOptions {
  readonly users: number;
  readonly seed: string;
  /** Hears how many users are done. */
  readonly progress: (users: number) => void;
}

export interface DemoCounts {
  readonly sources: number;
  readonly reports: number;
}

/** The store has something in it already. */
export class StoreNotEmpty extends Error {
  constructor() {
    super('must be empty to be filled with demo data, so that nothing real is mixed with it');
  }
}

const USERS_AT_A_TIME = 250;

const simulation: Simulation = {
  settings: demoSettings,
  limits: chromiumLimits,
  noise: true,
  allocation: 'per-cap',
};

/**
 * Fills a store with a made-up month: its browsers run through the engine, with real noise, and its ad server logs its sources.
 * @throws StoreNotEmpty
 */
export async function fillWithDemo(store: CollectorStore, options: DemoOptions): Promise<DemoCounts> {
  if (await hasContent(store)) throw new StoreNotEmpty();
  const counts = { sources: 0, reports: 0 };
  for (let first = 0; first < options.users; first += USERS_AT_A_TIME) {
    const last = Math.min(first + USERS_AT_A_TIME, options.users);
    const { rows, reports } = await simulateUsers(first, last, options.seed);
    const { sources, configurations, issues } = await readSources(ndjson(rows), 'ndjson', () =>
      Promise.resolve([]),
    );
    if (issues[0] !== undefined) throw new Error(`a made-up source is not valid: ${issues[0].message}`);
    const { stored } = await store.addSources(sources, configurations);
    await Promise.all(reports.map((report) => store.add(report)));
    counts.sources += stored;
    counts.reports += reports.length;
    options.progress(last);
  }
  return counts;
}

async function hasContent(store: CollectorStore): Promise<boolean> {
  const { received } = await store.counts();
  return received > 0 || (await store.newestSource()) > 0;
}

const ndjson = (rows: readonly Json[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

interface SimulatedUsers {
  readonly rows: readonly Json[];
  readonly reports: readonly ReceivedReport[];
}

async function simulateUsers(first: number, last: number, seed: string): Promise<SimulatedUsers> {
  const rows: Json[] = [];
  const reports: ReceivedReport[] = [];
  for (let number = first; number < last; number++) {
    const { user, lines, sources } = demoUser(seed, number);
    const events = lines.map((line) => valid(parseLogLine(line)).event);
    const simulated = await simulateUser(events, simulation, seededRandomStreams(`${seed} noise ${user}`));
    const arrivals = seededRandomStreams(`${seed} arrivals ${user}`)(0);
    rows.push(...sources);
    for (const report of simulated.reports) {
      const sent = moment(Number(report.report_time));
      reports.push(received(report, new Date(after(sent, arrivalDelay(arrivals)))));
    }
  }
  return { rows, reports };
}

function received({ report_url: url, payload }: ScenarioReport, receivedTime: Date): ReceivedReport {
  const eventLevel = valid(parseEventLevelReport(payload as Json, receivedTime));
  return {
    kind: 'event-level',
    reportId: eventLevel.reportId,
    reportingOrigin: new URL(url).origin,
    reportUrl: url,
    receivedTime,
    body: JSON.stringify(payload),
    eventLevel,
  };
}

function valid<T>({ value, errors }: Parsed<T>): T {
  if (value === null) throw new Error(`demo data is not valid: ${errors[0]?.message ?? ''}`);
  return value;
}
