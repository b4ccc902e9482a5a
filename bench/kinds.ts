import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { postgresqlPrograms, startCluster } from '../scripts/postgresql-cluster';
import { reportFor, serveCollector } from './collector';
import { secondsOf } from './dashboard';
import { PATH } from './received-report';

/*
 * What a collector does after anonymous reports with so many different destinations: how long its dashboard waits, and a health check and an
 * honest report beside it. Nothing may depend on how many kinds strangers make up.
 */

const KINDS = [30_000, 100_000];
/** A server may close a connection that was idle when the next request is on its way. */
const TRIES = 3;
const CONNECTIONS = 100;

/** `npm run bench -- kinds 100000 postgresql` asks after so many, in this store. */
export async function benchKinds(only?: number, words: readonly string[] = []): Promise<void> {
  const isChosen = (name: string): boolean => words.length === 0 || words.includes(name);
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-kinds-'));
  const cluster = await startCluster(postgresqlPrograms());
  for (const kinds of only === undefined ? KINDS : [only]) {
    if (isChosen('folder')) await afterKinds('folder', path.join(folder, String(kinds)), kinds);
    if (isChosen('postgresql')) await afterKinds('PostgreSQL', await cluster.freshDatabase(), kinds);
  }
  await cluster.remove();
  rmSync(folder, { recursive: true });
}

async function afterKinds(name: string, store: string, kinds: number): Promise<void> {
  const { origin, process: child } = await serveCollector(store);
  child.stderr?.resume();
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < kinds) await postReport(origin, `https://made-up-${next++}.example`);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  // The first question adds the reports to the sums.
  const questions = [
    '/statistics?group=destination',
    '/statistics?group=destination',
    '/dimensions',
    '/estimates',
  ];
  const times: string[] = [];
  for (const question of questions) {
    const asked = secondsOf(origin + question);
    const start = performance.now();
    await postReport(origin, 'https://shop.example');
    const posted = (performance.now() - start) / 1000;
    const health = await secondsOf(`${origin}/healthz`);
    times.push(
      `${question} ${(await asked).toFixed(2)} s (a report meanwhile ${posted.toFixed(2)} s, /healthz ${health.toFixed(2)} s)`,
    );
  }
  const counts = (await (await fetch(`${origin}/counts`)).json()) as { readonly received: number };
  child.kill('SIGTERM');
  await once(child, 'exit');
  console.log(`${name}, ${kinds} destinations, ${counts.received} reports stored: ${times.join('; ')}`);
}

/** Sends the same report again if the connection ends, as devices do. */
async function postReport(origin: string, destination: string): Promise<void> {
  const body = reportFor(destination);
  for (let left = TRIES; ; left--)
    try {
      await post(origin, body);
      return;
    } catch (error) {
      if (left === 1 || !(error instanceof TypeError)) throw error;
    }
}

async function post(origin: string, body: string): Promise<void> {
  const answer = await fetch(origin + PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!answer.ok) throw new Error(`a report was answered ${answer.status}`);
}
