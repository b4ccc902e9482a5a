import type { JsonObject } from '../../../../src/model/json';

export type Mood = 'well' | 'lost answer' | 'unreachable' | 'failing' | 'limiting' | 'hanging';

interface Sent {
  readonly body: string;
  readonly signal: AbortSignal;
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(new Error('aborted'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

let connected: Network | null = null;

/** What `fetch` is while networks are tried. */
export const fetchOfNetwork = (url: string, sent: Sent): Promise<{ status: number }> => {
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

  readonly fetch = async (url: string, { body, signal }: Sent): Promise<{ status: number }> => {
    await Promise.resolve();
    if (!this.maySend) this.wrong.push(`a report was sent without consent: ${body}`);
    const mood = this.chooseMood(url);
    if (mood === 'hanging') return untilAborted(signal);
    if (mood === 'unreachable') throw new TypeError('Failed to fetch');
    if (mood === 'failing') return { status: 503 };
    if (mood === 'limiting') return { status: 429 };
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
