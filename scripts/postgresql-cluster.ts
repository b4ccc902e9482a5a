import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port';

const script = path.resolve(__dirname, './postgresql.mjs');
const USER = 'cointoss';
const START_MILLISECONDS = 60_000;

/** A private PostgreSQL server. Its data folder is removed when it stops. */
export interface Cluster {
  /** Makes an empty database, and resolves to its URL. */
  freshDatabase(): Promise<string>;
  /** Kills the server, like a power cut; `start` brings it back with everything durable. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Does not keep this process running any more. */
  unref(): void;
  remove(): Promise<void>;
}

/**
 * The folder of PostgreSQL's programs, installed if possible.
 * @throws Error when there are none.
 */
export const postgresqlPrograms = (): string =>
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' }).trim();

/** @param settings more options of the server, such as `-cfsync=off` */
export async function startCluster(programs: string, settings: readonly string[] = []): Promise<Cluster> {
  const owner = await unprivileged();
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-postgresql-'));
  if (owner !== null) await chown(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const as = { cwd: folder, ...owner };
  const initdb = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(path.join(programs, 'initdb'), initdb, as);
  const url = (database: string): string => `postgres://${USER}@127.0.0.1:${port}/${database}`;

  let server: ReturnType<typeof spawn> | null = null;
  let databases = 0;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = server === null ? null : once(server, 'exit');
    server?.ref();
    server?.kill(signal);
    await exited;
    server = null;
  };
  const cluster: Cluster = {
    async freshDatabase() {
      const name = `collector_${++databases}`;
      await withClient(url('postgres'), (client) => client.query(`CREATE DATABASE ${name}`));
      return url(name);
    },
    crash: () => end('SIGQUIT'),
    async start() {
      const all = ['-D', data, `-p${port}`, `-k${folder}`, '-clisten_addresses=127.0.0.1', ...settings];
      server = spawn(path.join(programs, 'postgres'), all, { ...as, stdio: 'ignore' });
      await untilReady(url('postgres'));
    },
    unref: () => server?.unref(),
    async remove() {
      await end('SIGINT');
      await rm(folder, { recursive: true });
    },
  };
  await cluster.start();
  return cluster;
}

/** PostgreSQL refuses to run as root; its package creates a user for it. */
async function unprivileged(): Promise<{ readonly uid: number; readonly gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const users = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + START_MILLISECONDS;
  for (;;) {
    try {
      await withClient(url, () => Promise.resolve());
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
