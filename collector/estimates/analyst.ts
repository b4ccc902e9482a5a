import { once } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../worker';
import type { AnalysisAnswer, AnalysisRequest } from './analysis-worker';
import type { EstimateResultJson } from './result';

/** Estimates in a worker thread, one after the other; the thread starts with the first. */
export class Analyst {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects when the thread fails, as it does when it is closed. */
  analyse(request: AnalysisRequest): Promise<EstimateResultJson> {
    const result = this.#last.then(() => this.ask(request));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  private async ask(request: AnalysisRequest): Promise<EstimateResultJson> {
    const worker = (this.#worker ??= this.start());
    worker.postMessage(request);
    const answer = await answerOf(worker);
    if ('message' in answer) throw new Error(answer.message);
    return answer.result as EstimateResultJson;
  }

  private start(): Worker {
    const worker = startWorker(join(__dirname, 'analysis-worker.ts'));
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

/** Rejects when the thread throws. */
async function answerOf(worker: Worker): Promise<AnalysisAnswer> {
  const answered = new AbortController();
  const { signal } = answered;
  try {
    return await Promise.race([
      once(worker, 'message', { signal }).then(([message]) => message as AnalysisAnswer),
      once(worker, 'exit', { signal }).then(() => ({ message: 'the thread for estimates has stopped' })),
    ]);
  } finally {
    answered.abort();
  }
}
