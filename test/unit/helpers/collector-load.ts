import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_LEVEL, freshReport, linesAt, post } from './collector-client';
import { startCollectorProcess, type CollectorProcess } from './collector-process';

type Report = ReturnType<typeof freshReport>;

const SENDERS = 40;

/** Many senders, each of which sends one report after the other, until the server stops answering. */
export class Load {
  readonly acknowledged: Report[] = [];
  readonly unanswered: Report[] = [];
  /** The headers that each report was sent with. */
  readonly #headers = new Map<Report, Readonly<Record<string, string>>>();
  #senders: Promise<unknown> = Promise.resolve();

  /** @param tokenFor makes a token for each report; null: they bring none */
  constructor(private readonly tokenFor: (() => string) | null = null) {}

  /** Sends a report with the token that it has. */
  again(origin: string, report: Report): Promise<Response> {
    return post(origin + EVENT_LEVEL, report, this.#headers.get(report));
  }

  /** Sends another report with the token of this one. */
  spendAgain(origin: string, report: Report): Promise<Response> {
    return post(origin + EVENT_LEVEL, freshReport(), this.#headers.get(report));
  }

  start(origins: readonly string[]): void {
    this.#senders = Promise.all(
      Array.from({ length: SENDERS }, (_, index) => this.send(origins[index % origins.length] ?? '')),
    );
  }

  /** Resolves once so many reports were answered with 200. */
  async reached(count: number): Promise<void> {
    while (this.acknowledged.length < count) await sleep(5);
  }

  async ended(): Promise<void> {
    await this.#senders;
  }

  private async send(origin: string): Promise<void> {
    for (;;) {
      const report = freshReport();
      this.#headers.set(report, this.tokenFor === null ? {} : { Authorization: this.tokenFor() });
      try {
        const { status } = await this.again(origin, report);
        if (status !== 200) throw new Error(`status ${status}`);
        this.acknowledged.push(report);
      } catch {
        this.unanswered.push(report);
        return;
      }
    }
  }
}

export const idsAt = async (origin: string): Promise<unknown[]> =>
  (await linesAt(`${origin}/reports`)).map((line) => line['report_id']);

/**
 * Kills collectors on one store in the middle of a load. What was acknowledged must be there, and what was not can be sent again.
 * @param each how many reports are acknowledged from one kill to the next
 * @param load that sends them, and the collectors’ options for it
 * @param last asks the last collector more, and may end it
 */
export async function killUnderLoad(
  store: string,
  kills: number,
  each: number,
  load = new Load(),
  options: readonly string[] = [],
  last: (collector: CollectorProcess) => Promise<void> = () => Promise.resolve(),
): Promise<Load> {
  const start = (): ReturnType<typeof startCollectorProcess> =>
    startCollectorProcess(store, ['--rate-limit', '1000000', ...options]);
  for (let kill = 1; kill <= kills; kill++) {
    const collector = await start();
    try {
      load.start([collector.origin]);
      await load.reached(kill * each);
    } finally {
      await collector.end('SIGKILL');
    }
    await load.ended();
  }
  expect(load.unanswered.length).toBeGreaterThan(0);

  const collector = await start();
  try {
    const kept = new Set(await idsAt(collector.origin));
    expect(load.acknowledged.filter(({ report_id: id }) => !kept.has(id))).toEqual([]);
    for (const report of load.unanswered)
      expect((await load.again(collector.origin, report)).status).toBe(200);
    const sent = [...load.acknowledged, ...load.unanswered].map(({ report_id: id }) => id);
    expect((await idsAt(collector.origin)).sort()).toEqual(sent.sort());
    await last(collector);
  } finally {
    await collector.end('SIGKILL');
  }
  return load;
}
