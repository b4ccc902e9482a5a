import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { parseEventLevelReport } from '../collector/intake/report-body';
import { openDatabase } from '../collector/store/open-database';
import { migrate } from '../collector/store/migrations';
import { insertReports, type ReceivedReport } from '../collector/store/reports';
import { root } from '../node/root';
import { postgresqlPrograms, startCluster } from '../scripts/postgresql-cluster';

/*
 * Durable reports a second, with one report per request as the extension sends them, compared with writing batches of the same rows
 * directly to the same store. The collector runs in its own process and shares the machine with the sender.
 */

const SECONDS = 10;
const CONNECTIONS = 100;
const BATCH = 1000;
const PATH = '/.well-known/attribution-reporting/report-event-attribution';

const body = (): string =>
  JSON.stringify({
    attribution_destination: 'https://shop.example',
    randomized_trigger_rate: 0.0024263,
    report_id: randomUUID(),
    scheduled_report_time: String(Math.floor(Date.now() / 1000)),
    source_event_id: String(Math.floor(Math.random() * 2 ** 53)),
    source_type: 'navigation',
    trigger_data: '3',
  });

async function bareInserts(store: string): Promise<number> {
  const database = await openDatabase(store, migrate);
  const batch = (): readonly ReceivedReport[] => Array.from({ length: BATCH }, received);
  await database.transaction((queries) => insertReports(queries, batch()));
  const batches: (readonly ReceivedReport[])[] = Array.from({ length: 30 }, batch);
  const start = performance.now();
  for (const reports of batches) await database.transaction((queries) => insertReports(queries, reports));
  const seconds = (performance.now() - start) / 1000;
  await database.close();
  return (batches.length * BATCH) / seconds;
}

function received(): ReceivedReport {
  const text = body();
  const receivedTime = new Date();
  const { value: eventLevel } = parseEventLevelReport(JSON.parse(text) as object as never, receivedTime);
  if (eventLevel === null) throw new Error('the report must be valid');
  const { reportId } = eventLevel;
  const reportingOrigin = 'https://ads.example';
  return {
    kind: 'event-level',
    reportId,
    reportingOrigin,
    reportUrl: null,
    receivedTime,
    body: text,
    eventLevel,
  };
}

interface Served {
  readonly origin: string;
  readonly process: ChildProcess;
}

export async function serveCollector(store: string): Promise<Served> {
  const cli = path.join(root, 'cli/cointoss.mjs');
  const args = [cli, 'collect', '--port', '0', '--store', store, '--rate-limit', '1000000000'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
    const [, origin] = /listens at (\S+)/.exec(text) ?? [];
    if (origin !== undefined) return { origin, process: child };
  }
  throw new Error('the collector did not start');
}

async function overHttp(store: string, pipelining: number): Promise<{ perSecond: number; p99: number }> {
  const { origin, process: child } = await serveCollector(store);
  child.stderr?.resume();
  const result = await sendReports(origin, pipelining, SECONDS);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return result;
}

/** How many different reports a second the collector takes. @throws Error when it refuses some, or has not stored them all */
export async function sendReports(
  origin: string,
  pipelining: number,
  duration: number,
): Promise<{ perSecond: number; p99: number }> {
  const before = await storedAt(origin);
  const start = performance.now();
  const result = await autocannon({
    url: origin + PATH,
    connections: CONNECTIONS,
    pipelining,
    duration,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: body() }),
      },
    ],
  });
  // Waits until the database has what was answered from the journal of a folder.
  await (await fetch(`${origin}/counts`)).text();
  const seconds = (performance.now() - start) / 1000;
  const stored = (await storedAt(origin)) - before;
  const answered = result['2xx'];
  if (result.non2xx > 0 || stored < answered)
    throw new Error(`${answered} were answered, ${stored} are stored, ${result.non2xx} were refused`);
  return { perSecond: answered / seconds, p99: result.latency.p99 };
}

async function storedAt(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(
    /cointoss_reports_total\{kind="event-level",outcome="stored"\} (\d+)/.exec(metrics)?.[1] ?? 0,
  );
}

async function compare(name: string, fresh: () => Promise<string>): Promise<void> {
  const bare = await bareInserts(await fresh());
  console.log(`durable reports into ${name}`);
  console.log(`  batches of ${BATCH}, directly                  ${bare.toFixed(0)} a second`);
  for (const pipelining of [1, 10]) {
    const { perSecond, p99 } = await overHttp(await fresh(), pipelining);
    const how = `over HTTP, ${CONNECTIONS} connections × ${pipelining}`.padEnd(35);
    console.log(
      `  ${how} ${perSecond.toFixed(0)} a second, ratio ${(perSecond / bare).toFixed(2)}, p99 ${p99} ms`,
    );
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
