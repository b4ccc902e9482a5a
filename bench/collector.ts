import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { KnownConfigurations } from '../collector/store/known-configurations';
import { openDatabase } from '../collector/store/open-database';
import { migrate } from '../collector/store/migrations';
import { insertReports, type ReceivedReport } from '../collector/store/reports';
import { Sums } from '../collector/store/sums';
import { root } from '../node/root';
import { postgresqlPrograms, startCluster } from '../scripts/postgresql-cluster';
import { processorTimes, usedBetween } from './processor-time';
import { PATH, receivedReport } from './received-report';

/*
 * Durable reports a second, with one report per request as the extension sends them, compared with writing batches of the same rows
 * directly to the same store, and with the least that a server can do for them. The collector runs in its own process and shares the machine with the sender.
 */

const SECONDS = 10;
const CONNECTIONS = 100;
const BATCH = 1000;

const SHOP = 'https://shop.example';

/** The body of a report that no other has. */
export const reportFor = (destination: string): string =>
  JSON.stringify({
    attribution_destination: destination,
    randomized_trigger_rate: 0.0024263,
    report_id: randomUUID(),
    scheduled_report_time: String(Math.floor(Date.now() / 1000)),
    source_event_id: String(Math.floor(Math.random() * 2 ** 53)),
    source_type: 'navigation',
    trigger_data: '3',
  });

interface Inserted {
  readonly perSecond: number;
  /** What the sums of these reports cost, in microseconds of processor time for each. A collector makes them while it takes reports. */
  readonly sums: number;
}

async function bareInserts(store: string): Promise<Inserted> {
  const database = await openDatabase(store, migrate);
  const batch = (): readonly ReceivedReport[] =>
    Array.from({ length: BATCH }, () => receivedReport(reportFor(SHOP)));
  await database.transaction((queries) => insertReports(queries, batch()));
  const batches: (readonly ReceivedReport[])[] = Array.from({ length: 30 }, batch);
  const start = performance.now();
  for (const reports of batches) await database.transaction((queries) => insertReports(queries, reports));
  const seconds = (performance.now() - start) / 1000;
  const reports = (batches.length + 1) * BATCH;
  const before = processorTimes(process.pid);
  await new Sums(database, new KnownConfigurations()).catchUp();
  const sums = (1000 * usedBetween(before, processorTimes(process.pid))) / reports;
  await database.close();
  return { perSecond: (batches.length * BATCH) / seconds, sums };
}

interface Served {
  readonly origin: string;
  readonly process: ChildProcess;
}

const collector = [
  path.join(root, 'cli/cointoss.mjs'),
  'collect',
  '--port',
  '0',
  '--rate-limit',
  '1000000000',
];
const bareCollector = ['--import', 'tsx', path.join(root, 'bench/bare-collector.ts')];

export async function serveCollector(store: string, program: readonly string[] = collector): Promise<Served> {
  const args = [...program, '--store', store];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
    const [, origin] = /listens at (\S+)/.exec(text) ?? [];
    if (origin !== undefined) return { origin, process: child };
  }
  throw new Error('the collector did not start');
}

interface Rate {
  readonly perSecond: number;
  readonly p99: number;
  /** Of the server alone, in microseconds for each report. Another load of the machine changes it less than the rate. */
  readonly processor: number;
}

type Sent = Omit<Rate, 'processor'> & { readonly answered: number };

async function overHttp(
  { origin, process: child }: Served,
  send: (origin: string) => Promise<Sent>,
): Promise<Rate> {
  child.stderr?.resume();
  const id = child.pid ?? 0;
  const before = processorTimes(id);
  const { answered, ...rate } = await send(origin);
  const processor = (1000 * usedBetween(before, processorTimes(id))) / answered;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { ...rate, processor };
}

/** How many different reports a second the collector takes. @throws Error when it refuses some, or has not stored them all */
export async function sendReports(origin: string, pipelining: number, duration: number): Promise<Sent> {
  const before = await storedAt(origin);
  const start = performance.now();
  const { answered, p99 } = await post(origin, pipelining, duration);
  // Waits until the database has what was answered from the journal of a folder.
  await (await fetch(`${origin}/counts`)).text();
  const seconds = (performance.now() - start) / 1000;
  const stored = (await storedAt(origin)) - before;
  if (stored < answered) throw new Error(`${answered} were answered, ${stored} are stored`);
  return { perSecond: answered / seconds, p99, answered };
}

/** The same of the bare collector, which cannot be asked what it stored. @throws Error when it refuses some */
async function sendToBare(origin: string, pipelining: number, duration: number): Promise<Sent> {
  const { answered, p99 } = await post(origin, pipelining, duration);
  return { perSecond: answered / duration, p99, answered };
}

async function post(
  origin: string,
  pipelining: number,
  duration: number,
): Promise<{ answered: number; p99: number }> {
  const result = await autocannon({
    url: origin + PATH,
    connections: CONNECTIONS,
    pipelining,
    duration,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: reportFor(SHOP) }),
      },
    ],
  });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} reports were refused`);
  return { answered: result['2xx'], p99: result.latency.p99 };
}

async function storedAt(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(
    /cointoss_reports_total\{kind="event-level",outcome="stored"\} (\d+)/.exec(metrics)?.[1] ?? 0,
  );
}

/** Each beside its floors: the bare collectors, which share the processors with the same sender. */
async function compare(name: string, fresh: () => Promise<string>): Promise<void> {
  const { perSecond: direct, sums } = await bareInserts(await fresh());
  console.log(`durable reports into ${name}`);
  console.log(`  batches of ${BATCH}, directly                     ${direct.toFixed(0)} a second`);
  console.log(`  the sums of these reports                  ${sums.toFixed()} µs of processor for each`);
  for (const pipelining of [1, 10]) {
    const rates: readonly (readonly [string, Rate])[] = [
      [
        'collector',
        await overHttp(await serveCollector(await fresh()), (origin) =>
          sendReports(origin, pipelining, SECONDS),
        ),
      ],
      [
        'bare collector',
        await overHttp(await serveCollector(await fresh(), bareCollector), (origin) =>
          sendToBare(origin, pipelining, SECONDS),
        ),
      ],
      [
        'bare, in Fastify',
        await overHttp(await serveCollector(await fresh(), [...bareCollector, '--framework']), (origin) =>
          sendToBare(origin, pipelining, SECONDS),
        ),
      ],
    ];
    for (const [server, { perSecond, p99, processor }] of rates) {
      const how = `${server}, ${CONNECTIONS} connections × ${pipelining}`.padEnd(40);
      console.log(
        `  ${how} ${perSecond.toFixed(0)} a second, ratio ${(perSecond / direct).toFixed(2)}, p99 ${p99} ms, ${processor.toFixed()} µs of processor for each`,
      );
    }
  }
  console.log();
}

export async function benchCollector(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-bench-'));
  let stores = 0;
  await compare('PGlite', () => Promise.resolve(path.join(folder, String(++stores))));
  rmSync(folder, { recursive: true });
  const cluster = await startCluster(postgresqlPrograms());
  await compare('PostgreSQL', () => cluster.freshDatabase());
  await cluster.remove();
}
