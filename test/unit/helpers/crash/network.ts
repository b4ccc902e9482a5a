import type { JsonObject } from '../../../../src/model/json';

export type Mood = 'well' | 'lost answer' | 'unreachable' | 'failing' | 'limiting' | 'hanging';

interface Sent {
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The part of a response that the background reads, or must not. */
interface Answer {
  readonly status: number;
  readonly headers?: Headers;
}

/** A busy server's answer. Whoever obeyed the header would try too often, or until the report is too old. */
const busy = (status: number, retryAfter: number): Answer => ({
  status,
  headers: new Headers({ 'Retry-After': String(retryAfter) }),
});

/** In seconds. */
const MONTH = 30 * 86_400;

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(new Error('aborted'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

let connected: Network | null = null;

/** What `fetch` is while networks are tried. */
export const fetchOfNetwork = (url: string, sent: Sent): Promise<Answer> => {
  if (connected === null) throw new Error('no network is connected');
  return connected.fetch(url, sent);
};

/** Makes `network` the one that `fetchOfNetwork` asks. */
export function connect(network: Network): void {
  connected = network;
}

/** The servers that reports go to, and what they keep. They know a report by its id, so a second copy changes nothing. */
export class Network {
  /** The bodies of what was answered with 2xx or taken without an answer that arrived, by URL and report id. */
  readonly taken = new Map<string, string>();
  readonly wrong: string[] = [];
  /** Whether the person agrees to sending. */
  maySend = true;

  constructor(private readonly chooseMood: (url: string) => Mood) {}

  readonly fetch = async (url: string, { body, signal }: Sent): Promise<Answer> => {
    await Promise.resolve();
    if (!this.maySend) this.wrong.push(`a report was sent without consent: ${body}`);
    const mood = this.chooseMood(url);
    if (mood === 'hanging') return untilAborted(signal);
    if (mood === 'unreachable') throw new TypeError('Failed to fetch');
    if (mood === 'failing') return busy(503, 0);
    if (mood === 'limiting') return busy(429, MONTH);
    this.take(url, body);
    if (mood === 'lost answer') throw new TypeError('Failed to fetch');
    return { status: 200 };
  };

  private take(url: string, body: string): void {
    const { report_id: id } = JSON.parse(body) as JsonObject;
    if (typeof id !== 'string') return;
    const key = `${url} ${id}`;
    const before = this.taken.get(key);
    if (before !== undefined && before !== body)
      this.wrong.push(`a report was sent again with another body: ${before}, then ${body}`);
    this.taken.set(key, body);
  }
}
