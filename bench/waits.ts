import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createCipheriv, createHmac, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import puppeteer from 'puppeteer-core';
import { seededRandomSource } from '../analysis/random/sources';
import { createCollector } from '../collector/server';
import { IN_MEMORY } from '../collector/store/pglite';
import { root } from '../node/root';
import { openWithOpenSsl, sealWithOpenSsl } from '../node/sealing';
import { launch } from '../scenarios/kit';
import { browserOptions } from '../scenarios/kit/launch';
import { COMMAND, measure, type Measured } from './measured-command';
import { processorTimes, usedBetween } from './processor-time';
import { benchTimeLeft, foretell } from './time-left';

/*
 * What a person waits for beside a long simulation. Beside each stands the least that it needs, in the same run. `npm run bench -- waits 200 demo once`
 * measures two of the parts.
 */

/** In each run of the experiment. */
const USERS = 200;
const [CELLS, REPETITIONS] = [12, 6];
const OPERATIONS = 2000;
const PAYLOAD_BYTES = 1000;
const cointoss = path.join(root, 'cli/cointoss.mjs');

type Part = (folder: string, users: number) => Promise<void> | void;

const parts: Readonly<Record<string, Part>> = {
  demo: benchDemo,
  once: benchOnce,
  experiment: benchExperiment,
  sealed: benchSealed,
  learn: benchLearn,
  left: benchTimeLeft,
};

/** @param users of each run of the experiment; of all, where reports are sealed */
export async function benchWaits(users = USERS, words: readonly string[] = []): Promise<void> {
  for (const [name, part] of Object.entries(parts)) {
    if (words.length > 0 && !words.includes(name)) continue;
    const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-waits-'));
    try {
      await part(folder, users);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

interface Waited {
  readonly seconds: number;
  /** Of processors. */
  readonly cpu: number;
}

const show = (what: string, { seconds, cpu }: Waited): void =>
  console.log(
    `  ${what.padEnd(64)} ${seconds.toFixed(1)} s${Number.isNaN(cpu) ? '' : `, ${cpu.toFixed(1)} s of processors`}`,
  );

interface Collector {
  readonly origin: string;
  readonly process: ChildProcess;
}

/** Until it listens. */
async function collectorFor(store: readonly string[]): Promise<Waited & Collector> {
  const start = performance.now();
  const args = [cointoss, 'collect', '--port', '0', ...store];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
    const [, origin] = /listens at (\S+)/.exec(text) ?? [];
    if (origin === undefined) continue;
    const cpu = usedBetween(new Map(), processorTimes(child.pid ?? NaN)) / 1000;
    return { seconds: (performance.now() - start) / 1000, cpu, origin, process: child };
  }
  throw new Error('the collector did not start');
}

async function stop({ process: child }: Collector): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** What the dashboard asks for to show its first rows. */
const FIRST = [
  '/counts',
  '/dimensions',
  '/statistics?group=campaign',
  '/estimates?group=campaign&top_states=12',
];

async function benchDemo(): Promise<void> {
  const empty = await collectorFor(['--store', 'memory://']);
  show('an empty collector in memory is ready', empty);
  await stop(empty);
  const answers = await collectorFor(['--demo']);
  show('collect --demo is ready', answers);
  const asked = await waited(answers.process.pid, () =>
    Promise.all(FIRST.map(async (question) => (await fetch(answers.origin + question)).arrayBuffer())),
  );
  show('its first answers, without a browser', asked);
  await stop(answers);
  const shown = await collectorFor(['--demo']);
  const browser = await puppeteer.launch(browserOptions({ browser: 'chrome' }));
  try {
    const page = await browser.newPage();
    await page.goto(`${shown.origin}/healthz`);
    const rows = await waited(process.pid, async () => {
      await page.goto(shown.origin, { waitUntil: 'domcontentloaded' });
      await page.waitForSelector('tr[data-group]');
    });
    show('the dashboard’s first rows, of a new collector', rows);
  } finally {
    await browser.close();
    await stop(shown);
  }
}

/** @param id of the process whose processor time counts, with all that it started */
async function waited(id: number | undefined, work: () => Promise<unknown>): Promise<Waited> {
  const [start, before] = [performance.now(), processorTimes(id ?? NaN)];
  await work();
  return {
    seconds: (performance.now() - start) / 1000,
    cpu: usedBetween(before, processorTimes(id ?? NaN)) / 1000,
  };
}

async function benchOnce(): Promise<void> {
  const start = performance.now();
  const args = [path.join(root, 'scripts/start.mjs'), '--once'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error('npm start -- --once failed');
  show('npm start -- --once', { seconds: (performance.now() - start) / 1000, cpu: NaN });
  const bare = performance.now();
  const startCollector = async (): Promise<FastifyInstance> => {
    const collector = await createCollector({ store: IN_MEMORY });
    await collector.listen({ host: '127.0.0.1', port: 0 });
    return collector;
  };
  const [launched, collector] = await Promise.all([launch({ browser: 'chrome' }), startCollector()]);
  await launched.close();
  await collector.close();
  const seconds = (performance.now() - bare) / 1000;
  show('browser and empty collector together, and an ad in view for 1 s', { seconds: seconds + 1, cpu: NaN });
}

const experiment = (users: number): object => ({
  title: 'waits',
  seed: 'waits',
  repetitions: REPETITIONS,
  data: { users },
  grid: {
    'source.event_level_epsilon': [1, 3, 8],
    'navigation_source.event_report_windows.end_times': [
      [2_592_000],
      [604_800, 2_592_000],
      [172_800, 604_800, 2_592_000],
      [86_400, 172_800, 2_592_000],
    ],
  },
  measure: { levels: [[], ['format']], confidence: 0.95, known: 0.1 },
});

function benchExperiment(folder: string, users: number): void {
  const file = (name: string): string => path.join(folder, name);
  writeFileSync(file('experiment.json'), JSON.stringify(experiment(users)));
  const people = CELLS * REPETITIONS * users;
  measure(COMMAND, 'generate', '--users', String(people), '--output', file('log.ndjson'));
  const output = ['--output', file('reports.ndjson'), '--seed', '1'];
  show(`simulate of ${people} users`, measure(COMMAND, 'simulate', '--input', file('log.ndjson'), ...output));
  const found = measure(COMMAND, 'experiment', file('experiment.json'), '--output', file('results'));
  show(`experiment, ${CELLS} cells × ${REPETITIONS} × ${users} users`, found);
}

function benchSealed(folder: string, users: number): void {
  const file = (name: string): string => path.join(folder, name);
  const keys = openSync(file('public.json'), 'wx');
  const made = spawnSync(process.execPath, [cointoss, 'aggregate', '--new-key', file('private.json')], {
    stdio: ['ignore', keys, 'ignore'],
  });
  closeSync(keys);
  if (made.status !== 0) throw new Error('no key was made');
  writeFileSync(file('buckets.csv'), 'bucket\n0x1\n');
  const log = file('log.ndjson');
  measure(COMMAND, 'generate', '--demo', '--users', String(10 * users), '--output', log);
  const simulate = (...more: readonly string[]): Measured =>
    measure(COMMAND, 'simulate', '--input', log, '--output', file('reports.ndjson'), '--seed', '1', ...more);
  const without = simulate();
  const sealed = simulate('--aggregation-key', file('public.json'));
  const summary = ['--buckets', file('buckets.csv'), '--output', file('summary.ndjson')];
  const files = ['--reports', file('reports.ndjson'), '--keys', file('private.json'), ...summary];
  const begun = measure(COMMAND, 'aggregate', '--help');
  const opened = measure(COMMAND, 'aggregate', ...files);
  const reports =
    readFileSync(file('reports.ndjson'), 'utf8').split('"aggregation_service_payloads"').length - 1;
  show('simulate without keys', without);
  show('simulate with keys', sealed);
  show('aggregate --help', begun);
  show('aggregate', opened);
  const each = (more: Measured, less: Measured): string =>
    ((1000 * (more.cpu - less.cpu)) / reports).toFixed(2);
  console.log(
    `  ${reports} sealed reports: ${each(sealed, without)} ms to seal one, ${each(opened, begun)} ms to open and count it`,
  );
  benchSealing();
}

/**
 * Only the encryption of a payload as large as that of a report with the usual 20 contributions, and the least that it takes: each primitive as often
 * as RFC 9180 asks for it, with keys that are read.
 */
function benchSealing(): void {
  const [own, other] = [generateKeyPairSync('x25519'), generateKeyPairSync('x25519')];
  const { d = '', x = '' } = own.privateKey.export({ format: 'jwk' });
  const key = { id: 'bench', key: Buffer.from(x, 'base64url') };
  const secret = Buffer.from(d, 'base64url');
  const payload = new Uint8Array(PAYLOAD_BYTES);
  const random = seededRandomSource('sealing', 0);
  const sealed = sealWithOpenSsl(payload, 'shared info', key, random) as Uint8Array;
  const jwk = { kty: 'OKP', crv: 'X25519', x };
  const exchange = (): Buffer => diffieHellman({ privateKey: own.privateKey, publicKey: other.publicKey });
  const hash = (times: number): void => {
    for (let time = 0; time < times; time++) createHmac('sha256', secret).update(sealed).digest();
  };
  const encrypt = (): void => {
    const nonce = sealed.subarray(0, 12);
    const cipher = createCipheriv('chacha20-poly1305', secret, nonce, { authTagLength: 16 });
    cipher.update(payload);
    cipher.final();
  };
  const operations: Readonly<Record<string, () => unknown>> = {
    'one X25519 of Node': exchange,
    'to seal alone': () => sealWithOpenSsl(payload, 'shared info', key, random),
    '… its primitives: a new key, X25519, 8 HMACs, ChaCha20-Poly1305': () => {
      generateKeyPairSync('x25519');
      exchange();
      hash(8);
      encrypt();
    },
    'to open alone': () => openWithOpenSsl(sealed, 'shared info', secret),
    '… its primitives: a key read, X25519, 6 HMACs, ChaCha20-Poly1305': () => {
      createPublicKey({ key: jwk, format: 'jwk' });
      exchange();
      hash(6);
      encrypt();
    },
  };
  for (const [name, operation] of Object.entries(operations)) {
    const before = process.cpuUsage();
    for (let count = 0; count < OPERATIONS; count++) operation();
    const { user, system } = process.cpuUsage(before);
    console.log(`  ${name}: ${((user + system) / OPERATIONS).toFixed(0)} µs`);
  }
}

function benchLearn(folder: string): Promise<void> {
  return foretell('learn --demo', 'learn', '--demo', '--output', path.join(folder, 'learned'));
}
