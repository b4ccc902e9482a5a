import { workerPool } from '../../node/worker';
import type { AnalysisRequest } from './analysis-worker';
import type { EstimateResultJson } from './result';

/** Estimates were not worked out: nobody waits for them any more, or they took too long. */
export class EstimatesStopped extends Error {}

const LIMIT_MILLISECONDS = 60_000;

/** Estimates in a worker thread, one after the other; the thread starts with the first. */
export class Analyst {
  readonly #pool = workerPool<AnalysisRequest, EstimateResultJson>('analysis-worker', 1);
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

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  private async ask(request: AnalysisRequest, signal: AbortSignal): Promise<EstimateResultJson> {
    const timeout = AbortSignal.timeout(this.limit);
    const stop = AbortSignal.any([signal, timeout]);
    try {
      return await this.#pool.run(request, { signal: stop });
    } catch (error) {
      if (!stop.aborted) throw error;
      throw new EstimatesStopped(
        timeout.aborted
          ? `these estimates take longer than ${this.limit / 1000} seconds: choose fewer groups or sources`
          : 'nobody waits for these estimates',
      );
    }
  }
}
