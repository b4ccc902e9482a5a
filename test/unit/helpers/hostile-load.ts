import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_LEVEL, post, report } from './collector-client';

/** Every destination is new, so every report makes a new kind. */
let destinations = 0;
const strange = (): object => ({
  ...report,
  report_id: randomUUID(),
  attribution_destination: `https://strange-${++destinations}.example`,
});

const honestClient = path.resolve(__dirname, 'honest-client.mjs');

/** What a client does until it is told to stop. */
type Client = (origin: string, stopped: () => boolean) => Promise<void>;

const floods: Client = async (origin, stopped) => {
  while (!stopped()) await post(origin + EVENT_LEVEL, strange()).catch(() => undefined);
};

const sendsRubbish: Client = async (origin, stopped) => {
  const bodies = ['{', '[]', 'null', `{"a":${'['.repeat(3000)}`, 'x'.repeat(9000)];
  for (let sent = 0; !stopped(); sent++)
    await post(origin + EVENT_LEVEL, bodies[sent % bodies.length] ?? '').catch(() => undefined);
};

const opened = (origin: string): Promise<Socket | null> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', () => resolve(null));
  });

/** Sends the first half of a request, and then a byte now and then, or nothing. */
const dawdles: Client = async (origin, stopped) => {
  while (!stopped()) {
    const socket = await opened(origin);
    socket?.write(`POST ${EVENT_LEVEL} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`);
    socket?.write('Content-Length: 400\r\n\r\n{"');
    for (let bytes = 0; bytes < 20 && !stopped(); bytes++) {
      await sleep(50);
      socket?.write(' ');
    }
    socket?.destroy();
  }
};

const hostile: readonly Client[] = [floods, floods, sendsRubbish, dawdles];

/** A dashboard that asks again as soon as it is answered, and leaves each third question early. */
const watches: Client = async (origin, stopped) => {
  const questions = ['/statistics', '/statistics?group=campaign', '/dimensions', '/estimates', '/counts'];
  for (let asked = 0; !stopped(); asked++) {
    const stop = AbortSignal.timeout(asked % 3 === 2 ? 20 : 60_000);
    await fetch(origin + (questions[asked % questions.length] ?? ''), { signal: stop })
      .then((answer) => answer.arrayBuffer())
      .catch(() => undefined);
  }
};

/** Runs some hostile clients and an open dashboard beside `work`. */
export async function besieged<T>(origin: string, clients: number, work: () => Promise<T>): Promise<T> {
  const state = { stopped: false };
  const stopped = (): boolean => state.stopped;
  const running = Array.from({ length: clients }, (_, index) =>
    (hostile[index % hostile.length] ?? floods)(origin, stopped),
  );
  running.push(watches(origin, stopped));
  try {
    return await work();
  } finally {
    state.stopped = true;
    await Promise.all(running);
  }
}

export interface Sent {
  readonly acknowledged: readonly string[];
  /** In ms. */
  readonly p99: number;
}

/** Sends honest reports one after the other, from a process of its own: hostile clients of this one must delay them at the server only. */
export async function sendHonest(origin: string, count: number): Promise<Sent> {
  const client = spawn(process.execPath, [honestClient, origin + EVENT_LEVEL, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  client.stdin.end(JSON.stringify(report));
  return JSON.parse(await text(client.stdout)) as Sent;
}
