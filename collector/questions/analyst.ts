import { estimateResult, type EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import type { Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { analysisWorker, type AnalysisRequest } from './analysis-request';
import type { Piscina } from 'piscina';

/** The calculation was cancelled, or took too long. */
export class EstimatesStopped extends Error {}

const LIMIT_MILLISECONDS = 60_000;

/** Calculates estimates in a worker thread, one request at a time. */
export class Analyst {
  #pool: Promise<Piscina<AnalysisRequest, Json>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param limit the most milliseconds per request, not counting the requests before it. */
  constructor(private readonly limit = LIMIT_MILLISECONDS) {}

  /** Starts the thread, because someone will soon ask; otherwise the first request does. */
  start(): Promise<Piscina<AnalysisRequest, Json>> {
    return (this.#pool ??= startPool().catch((error: unknown) => {
      // The next request tries again.
      this.#pool = null;
      throw error;
    }));
  }

  /**
   * Rejects when the thread fails or is closed.
   * @param signal cancels the request.
   * @throws EstimatesStopped
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<EstimateResultJson> {
    const result = this.#last.then(() => this.ask(request, signal));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    await pool?.destroy();
  }

  private async ask(request: AnalysisRequest, signal: AbortSignal): Promise<EstimateResultJson> {
    const timeout = AbortSignal.timeout(this.limit);
    const stop = AbortSignal.any([signal, timeout]);
    try {
      const pool = await this.start();
      return answerOf(await pool.run(request, { signal: stop }));
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

/** What starts threads. Every start would pay for it. */
export const loadPool = () => import('../../node/worker-pool');

async function startPool(): Promise<Piscina<AnalysisRequest, Json>> {
  const { workerPool } = await loadPool();
  return workerPool(analysisWorker, 1, undefined);
}

function answerOf(json: Json): EstimateResultJson {
  const { value, errors } = parse(json, estimateResult);
  if (value === null)
    throw new Error(`the analysis answers otherwise than it should: ${JSON.stringify(errors[0])}`);
  return value;
}
