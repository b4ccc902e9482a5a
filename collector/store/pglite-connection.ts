import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../node/worker';
import { arrayLiteral, type Parameter, type Scalar, type Session } from './database';
import type { PgliteAnswer, PgliteRequest } from './pglite-worker';

type Rows = readonly unknown[];

/**
 * PGlite in a worker thread, opened by the first query. PostgreSQL stops when the disk is full or fails; the next query opens the folder
 * again, which recovers what was committed.
 */
export class PgliteConnection implements Session {
  readonly isPipelined = false;
  #running: Promise<Running> | null = null;

  /** @param folder null for a database in memory. */
  constructor(private readonly folder: string | null) {}

  async query<Row>(sql: string, parameters?: readonly Parameter[]): Promise<readonly Row[]> {
    const running = await (this.#running ??= this.start());
    try {
      // Passing a string between threads is much cheaper than passing a list.
      const plain = parameters?.map((value) => (isList(value) ? arrayLiteral(value) : value)) ?? null;
      return (await running.ask({ kind: 'query', sql, parameters: plain })) as readonly Row[];
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === null) await this.restart();
      throw error;
    }
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => null);
    this.#running = null;
    await running?.ask({ kind: 'close' }).catch(() => undefined);
    await running?.end();
  }

  private async start(): Promise<Running> {
    const running = new Running();
    try {
      await running.ask({ kind: 'open', folder: this.folder });
      return running;
    } catch (error) {
      this.#running = null;
      await running.end();
      throw error;
    }
  }

  /** Ends a running query; the next one opens the folder again. */
  async restart(): Promise<void> {
    // A database in memory would be lost, and cannot have had a disk failure.
    if (this.folder === null) return;
    const running = await this.#running?.catch(() => null);
    this.#running = null;
    await running?.end();
  }
}

const isList = (value: Parameter): value is readonly Scalar[] => Array.isArray(value);

function answerOf(of: unknown): PgliteAnswer {
  const { rows, message, code }: Readonly<Record<string, unknown>> = { ...(of as object) };
  if (Array.isArray(rows)) return { rows };
  return { message: String(message), code: typeof code === 'string' ? code : null };
}

/** A worker thread that handles one request at a time. */
class Running {
  readonly #worker: Worker = startWorker('pglite-worker');
  #waiting: { resolve(rows: Rows): void; reject(error: Error): void } | null = null;
  #ended = false;

  constructor() {
    this.#worker.on('message', (message: unknown) => {
      const answer = answerOf(message);
      if ('rows' in answer) this.respond((waiting) => waiting.resolve(answer.rows));
      else this.fail(answer.message, answer.code);
    });
    this.#worker.on('error', (error) => this.fail(String(error), null));
    this.#worker.on('exit', () => {
      this.#ended = true;
      this.fail('the store has stopped', null);
    });
  }

  ask(request: PgliteRequest): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#ended) this.fail('the store has stopped', null);
      else this.#worker.postMessage(request);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  private respond(how: (waiting: { resolve(rows: Rows): void; reject(error: Error): void }) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) how(waiting);
  }

  private fail(message: string, code: string | null): void {
    this.respond((waiting) => waiting.reject(Object.assign(new Error(message), { code })));
  }
}
