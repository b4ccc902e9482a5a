import { setImmediate } from 'node:timers/promises';
import { english } from '../../words/english';
import { chromiumLimits } from '../../src/model/limits';
import { after, moment } from '../../src/model/units';
import { Caches } from '../../src/work';
import { seededRandomStreams } from '../../analysis/random/sources';
import type { Parsed } from '../../formats/codec/issues';
import { reportPaths } from '../../formats/reports/report-kind';
import type { ScenarioReport } from '../../analysis/scenario/scenario';
import { writeSourceRow } from '../../formats/sources/source-row';
import { arrivalDelay, demoSettings, demoUser, type DemoUser } from '../../analysis/simulation/demo-month';
import { parseLogLine } from '../../analysis/simulation/log-line';
import { simulateUser, type Simulation } from '../../analysis/simulation/user';
import { parseEventLevelReport } from '../intake/report-body';
import { readSources } from '../intake/read-sources';
import type { ReceivedReport } from '../store/reports';
import type { CollectorStore } from '../store/store';
import { DemoPosts } from './posted';
import { countTruth, type TrueCount } from '../store/true-counts';

export interface DemoOptions {
  readonly users: number;
  readonly seed: string;
  /** Is called with the number of users done. */
  readonly progress: (users: number) => void;
}

/** The month that the command and the screenshots show. */
export const DEMO_MONTH = { users: 2000, seed: 'a month of tosses' } as const;

export interface DemoCounts {
  readonly sources: number;
  readonly reports: number;
}

/** What happened in the made-up month: the same people, without noise. */
export async function truthOfDemo({
  users,
  seed,
}: Pick<DemoOptions, 'users' | 'seed'>): Promise<readonly TrueCount[]> {
  const reports: ScenarioReport[] = [];
  const simulation = { ...simulationOfMonth(), noise: false };
  for (let number = 0; number < users; number++)
    reports.push(...(await reportsOf(number, seed, simulation)).reports);
  return countTruth(reports);
}

export class StoreNotEmpty extends Error {
  constructor() {
    super('must be empty to be filled with demo data, so that nothing real is mixed with it');
  }
}

const ROWS_AT_A_TIME = 2000;
/** Keeps batches small, because reports of one batch can be reordered. */
const REPORTS_AT_A_TIME = 50;

/** All people share its caches: the mechanism of a campaign is a linear programme, which takes longer to solve than a month to simulate. */
const simulationOfMonth = (): Simulation => ({
  settings: { ...demoSettings, aggregatableReports: true },
  limits: chromiumLimits,
  noise: true,
  allocation: 'per-cap',
  matching: null,
  caches: new Caches(),
});

/** What a store gets of a made-up month. */
export interface SimulatedMonth {
  readonly rows: DemoUser['sources'];
  readonly reports: readonly ReceivedReport[];
  readonly posts: DemoPosts;
}

/**
 * Browsers run through the engine with real noise, and an ad server logs its sources. Yields after each person, so that a store can open meanwhile.
 * @throws the reason of the signal, if it stops the work
 */
export async function simulateMonth(options: DemoOptions, stop?: AbortSignal): Promise<SimulatedMonth> {
  const rows: DemoUser['sources'][number][] = [];
  const reports: ReceivedReport[] = [];
  const posts = new DemoPosts();
  const simulation = simulationOfMonth();
  for (let number = 0; number < options.users; number++) {
    const simulated = await simulate(number, options.seed, simulation, posts);
    rows.push(...simulated.rows);
    reports.push(...simulated.reports);
    options.progress(number + 1);
    await setImmediate();
    stop?.throwIfAborted();
  }
  // In order of arrival.
  rows.sort((a, b) => a.time - b.time);
  reports.sort((a, b) => a.receivedTime.getTime() - b.receivedTime.getTime());
  return { rows, reports, posts };
}

/**
 * Fills a store with a made-up month.
 * @param month the month, if it is being simulated already
 * @throws StoreNotEmpty
 */
export async function fillWithDemo(
  store: CollectorStore,
  options: DemoOptions,
  month?: Promise<SimulatedMonth>,
): Promise<DemoCounts> {
  if (await hasContent(store)) throw new StoreNotEmpty();
  const { rows, reports, posts } = await (month ?? simulateMonth(options));
  const random = seededRandomStreams(`${options.seed} posted`);
  await store.post('summary', JSON.stringify(posts.summary(random(0))));
  await store.post('reach', JSON.stringify(posts.reach(random(1))));
  return { sources: await logAll(store, rows), reports: await addAll(store, reports) };
}

async function logAll(store: CollectorStore, rows: DemoUser['sources']): Promise<number> {
  let logged = 0;
  for (const part of parts(rows, ROWS_AT_A_TIME)) {
    const text = part.map((row) => JSON.stringify(writeSourceRow(row))).join('\n');
    const { sources, configurations, issues } = await readSources(text, 'ndjson', null, () =>
      Promise.resolve([]),
    );
    if (issues[0] !== undefined) throw new Error(`a made-up source is not valid: ${issues[0].message}`);
    logged += (await store.addSources(sources, configurations)).stored;
  }
  return logged;
}

async function addAll(store: CollectorStore, reports: readonly ReceivedReport[]): Promise<number> {
  for (const part of parts(reports, REPORTS_AT_A_TIME))
    await Promise.all(part.map((report) => store.add(report)));
  return reports.length;
}

const parts = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );

async function hasContent(store: CollectorStore): Promise<boolean> {
  const asked = await store.asking();
  const { received } = await asked.counts();
  return received > 0 || (await asked.newestSource()) > 0;
}

interface Simulated {
  readonly rows: DemoUser['sources'];
  readonly reports: readonly ReceivedReport[];
}

async function reportsOf(
  number: number,
  seed: string,
  how: Simulation,
): Promise<{ readonly made: DemoUser; readonly reports: readonly ScenarioReport[] }> {
  const made = demoUser(seed, number);
  const events = made.lines.map((line) => valid(parseLogLine(line)).event);
  const { reports } = await simulateUser(events, how, seededRandomStreams(`${seed} noise ${made.user}`));
  return { made, reports };
}

async function simulate(
  number: number,
  seed: string,
  simulation: Simulation,
  posts: DemoPosts,
): Promise<Simulated> {
  const { made, reports } = await reportsOf(number, seed, simulation);
  const { user, sources } = made;
  posts.add(made, reports);
  const arrivals = seededRandomStreams(`${seed} arrivals ${user}`)(0);
  return {
    rows: sources,
    reports: reports.filter(isEventLevel).map((report) => {
      const sent = moment(Number(report.report_time));
      return received(report, new Date(after(sent, arrivalDelay(arrivals))));
    }),
  };
}

const isEventLevel = ({ report_url: url }: ScenarioReport): boolean =>
  new URL(url).pathname === reportPaths['event-level'];

function received({ report_url: url, payload }: ScenarioReport, receivedTime: Date): ReceivedReport {
  const eventLevel = valid(parseEventLevelReport(payload, receivedTime));
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
  if (value === null) throw new Error(`demo data is not valid: ${english.issuesText(errors)}`);
  return value;
}
