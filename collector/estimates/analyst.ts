import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../node/worker';
import type { AnalysisAnswer, AnalysisRequest } from './analysis-worker';
import type { EstimateResultJson } from './result';

/** Estimates were not worked out: nobody waits for them any more, or they took too long. */
export class EstimatesStopped extends Error {}

const LIMIT_MILLISECONDS = 60_000;

/** Estimates in a worker thread, one after the other; the thread starts with the first. */
export class Analyst {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param limit how many milliseconds one request may take, not counting those before it. */
  constructor(private readonly limit = LIMIT_MILLISECONDS) {}

  /**
   * Rejects when the thread fails, as it does when it is closed.
   * @param signal nobody waits any more.
   * @throws EstimatesStopped
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<EstimateResultJson> {
    const result = this.#last.then(() => this.ask(request, signal));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  private async ask(request: AnalysisRequest, signal: AbortSignal): Promise<EstimateResultJson> {
    if (signal.aborted) throw new EstimatesStopped('nobody waits for these estimates');
    const timeout = AbortSignal.timeout(this.limit);
    const stop = AbortSignal.any([signal, timeout]);
    const worker = (this.#worker ??= this.start());
    worker.postMessage(request);
    const answer = await answerOf(worker, stop).catch(async (error: unknown) => {
      if (!stop.aborted) throw error;
      await this.close();
      throw new EstimatesStopped(
        timeout.aborted
          ? `these estimates take longer than ${this.limit / 1000} seconds: choose fewer groups or sources`
          : 'nobody waits for these estimates',
      );
    });
    if ('message' in answer) throw new Error(answer.message);
    return answer.result as EstimateResultJson;
  }

  private start(): Worker {
    const worker = startWorker('analysis-worker');
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

/** Rejects when the thread throws, and at the signal. */
async function answerOf(worker: Worker, stop: AbortSignal): Promise<AnalysisAnswer> {
  const answered = new AbortController();
  const signal = AbortSignal.any([answered.signal, stop]);
  try {
    return await Promise.race([
      once(worker, 'message', { signal }).then(([message]) => message as AnalysisAnswer),
      once(worker, 'exit', { signal }).then(() => ({ message: 'the thread for estimates has stopped' })),
    ]);
  } finally {
    answered.abort();
  }
}
