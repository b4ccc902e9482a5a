import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_LEVEL, freshReport, linesAt, post } from './collector-client';
import { startCollectorProcess } from './collector-process';

type Report = ReturnType<typeof freshReport>;

const SENDERS = 40;

/** Many senders, each of which sends one report after the other, until the server stops answering. */
export class Load {
  readonly acknowledged: Report[] = [];
  readonly unanswered: Report[] = [];
  #senders: Promise<unknown> = Promise.resolve();

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
      try {
        const { status } = await post(origin + EVENT_LEVEL, report);
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

async function replay(origin: string, reports: readonly Report[]): Promise<void> {
  for (const report of reports) expect((await post(origin + EVENT_LEVEL, report)).status).toBe(200);
}

/**
 * Kills collectors on one store in the middle of a load. What was acknowledged must be there, and what was not can be sent again.
 * @param each how many reports are acknowledged from one kill to the next
 */
export async function killUnderLoad(store: string, kills: number, each: number): Promise<Load> {
  const load = new Load();
  for (let kill = 1; kill <= kills; kill++) {
    const collector = await startCollectorProcess(store);
    load.start([collector.origin]);
    await load.reached(kill * each);
    await collector.end('SIGKILL');
    await load.ended();
  }
  expect(load.unanswered.length).toBeGreaterThan(0);

  const collector = await startCollectorProcess(store);
  const kept = new Set(await idsAt(collector.origin));
  expect(load.acknowledged.filter(({ report_id: id }) => !kept.has(id))).toEqual([]);
  await replay(collector.origin, load.unanswered);
  const sent = [...load.acknowledged, ...load.unanswered].map(({ report_id: id }) => id);
  expect((await idsAt(collector.origin)).sort()).toEqual(sent.sort());
  await collector.end('SIGKILL');
  return load;
}
