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
import type { Month, MonthReport } from './month';
import { DemoPosts } from './posted';
import { countTruth, type TrueCount } from '../store/true-counts';

/** The people, and the randomness of all that they do. */
interface MonthOptions {
  readonly users: number;
  readonly seed: string;
}

/** The month that the command and the screenshots show. */
export const DEMO_MONTH: MonthOptions = { users: 2000, seed: 'a month of tosses' };

/** What happened in the made-up month: the same people, without noise. */
export async function truthOfDemo({ users, seed }: MonthOptions): Promise<readonly TrueCount[]> {
  const reports: ScenarioReport[] = [];
  const simulation = { ...simulationOfMonth(), noise: false };
  for (let number = 0; number < users; number++)
    reports.push(...(await reportsOf(number, seed, simulation)).reports);
  return countTruth(reports);
}

/** All people share its caches: the mechanism of a campaign is a linear programme, which takes longer to solve than a month to simulate. */
const simulationOfMonth = (): Simulation => ({
  settings: { ...demoSettings, aggregatableReports: true },
  limits: chromiumLimits,
  noise: true,
  allocation: 'per-cap',
  matching: null,
  caches: new Caches(),
});

/** Browsers run through the engine with real noise, and an ad server logs its sources. */
export async function simulateMonth({ users, seed }: MonthOptions): Promise<Month> {
  const rows: DemoUser['sources'][number][] = [];
  const reports: MonthReport[] = [];
  const posts = new DemoPosts();
  const simulation = simulationOfMonth();
  for (let number = 0; number < users; number++) {
    const simulated = await simulate(number, seed, simulation, posts);
    rows.push(...simulated.rows);
    reports.push(...simulated.reports);
  }
  const random = seededRandomStreams(`${seed} posted`);
  return {
    sources: rows.sort((a, b) => a.time - b.time).map((row) => JSON.stringify(writeSourceRow(row))),
    reports: reports.sort((a, b) => a.received - b.received),
    posted: {
      summary: JSON.stringify(posts.summary(random(0))),
      reach: JSON.stringify(posts.reach(random(1))),
    },
  };
}

interface Simulated {
  readonly rows: DemoUser['sources'];
  readonly reports: readonly MonthReport[];
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
    reports: reports.filter(isEventLevel).map(({ report_time: time, report_url: url, payload }) => ({
      url,
      received: after(moment(Number(time)), arrivalDelay(arrivals)),
      body: JSON.stringify(payload),
    })),
  };
}

const isEventLevel = ({ report_url: url }: ScenarioReport): boolean =>
  new URL(url).pathname === reportPaths['event-level'];

function valid<T>({ value, errors }: Parsed<T>): T {
  if (value === null) throw new Error(`demo data is not valid: ${english.issuesText(errors)}`);
  return value;
}
