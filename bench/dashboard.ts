import { once } from 'node:events';
import { postgresqlPrograms, startCluster } from '../scripts/postgresql-cluster';
import { serveCollector } from './collector';
import { copyMonth } from './copied-month';
import { median } from './measure';

/*
 * How long the dashboard waits for its answers, over HTTP, from a collector whose PostgreSQL has ten million reports.
 */

const REPORTS = 10_000_000;
const ROUNDS = 5;
const DAY = 86_400_000;

/** Whole days of registration, as the dashboard asks for them. */
function range(daysAgo: number, days: number, hours = 0): string {
  const from = Math.floor(Date.now() / DAY) * DAY - daysAgo * DAY + hours * 3_600_000;
  return `&from=${new Date(from).toISOString()}&to=${new Date(from + days * DAY).toISOString()}`;
}

const views: Readonly<Record<string, string>> = {
  'all sources': '',
  phones: '&is.device=phone',
  'ten days': range(40, 10),
  'ten days from 5:30': range(40, 10, 5.5),
};

const questions: readonly (readonly [name: string, address: string])[] = [
  ['/counts', '/counts'],
  ['/healthz', '/healthz'],
  ['/dimensions', '/dimensions'],
  ...Object.entries(views).flatMap(([view, query]) =>
    [
      ['/statistics', '/statistics?group=campaign'],
      ['/estimates', '/estimates?group=campaign&top_states=12'],
      ['/reports', '/reports?latest=50'],
    ].map(([path = '', address = '']) => [`${path}, ${view}`, address + query] as const),
  ),
  ['/statistics by destination', '/statistics?group=destination'],
  ['/estimates, with likelihood', '/estimates?group=campaign&top_states=12&likelihood=true'],
  ['/estimates, with open windows', '/estimates?group=campaign&top_states=12&as_of=9999-12-31T00:00:00Z'],
];

export async function secondsOf(address: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(address);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${address} was answered ${answer.status}`);
  return (performance.now() - start) / 1000;
}

export async function benchDashboard(reports = REPORTS): Promise<void> {
  const cluster = await startCluster(postgresqlPrograms());
  try {
    const url = await cluster.freshDatabase();
    const made = await timed('the rows were made', () => copyMonth(url, reports));
    console.log(`${made.reports} reports, ${made.sources} sources`);
    const { origin, process: child } = await timed('the collector made its sums', () => serveCollector(url));
    child.stderr?.resume();
    for (const [name, address] of questions) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await secondsOf(origin + address));
      console.log(
        `  ${name.padEnd(35)} ${median(times).toFixed(2)} s, at most ${Math.max(...times).toFixed(2)} s`,
      );
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
  } finally {
    await cluster.remove();
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${what} in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  return result;
}
