import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from 'prom-client';
import type { ReportKind } from '../../src/model/records';
import { reportKinds } from '../../formats/reports/report-kind';
import { refusalReasons, type RefusalReason } from './refusal';
import type { Outcome } from '../store/reports';
import type { CollectorStore } from '../store/store';

/** Adds metrics of the whole process to `/metrics`. It measures the delay of the event loop from then on, for as long as the process runs. */
export function measureProcess(): void {
  // There is one process, however many collectors it has run.
  if (register.getMetricsAsArray().length === 0) collectDefaultMetrics();
}

/** The content of `/metrics`, in the text format of Prometheus. */
export class Metrics {
  private readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  readonly #reports = new Counter({
    name: 'cointoss_reports_total',
    help: 'Reports taken, by what became of them: stored, duplicate (same id and content) or conflicting (same id)',
    labelNames: ['kind', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly #refused = new Counter({
    name: 'cointoss_refused_total',
    help: 'Requests that were the sender’s mistake, or more than the sender may store',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });
  readonly #unavailable = new Counter({
    name: 'cointoss_unavailable_total',
    help: 'Requests answered with 503 because the store did not answer or too much was waiting',
    registers: [this.registry],
  });
  readonly #sources = new Counter({
    name: 'cointoss_sources_total',
    help: 'Rows of the source log taken, by what became of them',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });
  readonly #batchSize = new Histogram({
    name: 'cointoss_batch_reports',
    help: 'Reports in a batch',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
    registers: [this.registry],
  });
  readonly #batchSeconds = new Histogram({
    name: 'cointoss_batch_seconds',
    help: 'Time to make a batch durable',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    registers: [this.registry],
  });
  readonly #requestSeconds = new Histogram({
    name: 'cointoss_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['route', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [this.registry],
  });

  constructor() {
    // Prometheus sees nothing in a missing series, and no increase in its first value.
    for (const kind of reportKinds) this.#reports.inc({ kind, outcome: 'stored' }, 0);
    for (const reason of refusalReasons) this.#refused.inc({ reason }, 0);
  }

  text(): Promise<string> {
    return Registry.merge([register, this.registry]).metrics();
  }

  taken(kind: ReportKind, outcome: Outcome): void {
    this.#reports.inc({ kind, outcome });
  }

  refused(reason: RefusalReason): void {
    this.#refused.inc({ reason });
  }

  unavailable(): void {
    this.#unavailable.inc();
  }

  loggedSources(outcomes: Readonly<Record<string, number>>): void {
    for (const [outcome, rows] of Object.entries(outcomes)) this.#sources.inc({ outcome }, rows);
  }

  readonly batch = (size: number, seconds: number): void => {
    this.#batchSize.observe(size);
    this.#batchSeconds.observe(seconds);
  };

  observe(app: FastifyInstance, store: CollectorStore, storeLimit: number): void {
    new Gauge({
      name: 'cointoss_waiting_reports',
      help: 'Reports that wait for the batch that is being written',
      registers: [this.registry],
      collect() {
        this.set(store.waiting);
      },
    });
    new Gauge({
      name: 'cointoss_store_bytes',
      help: 'Bytes that the store takes up on its disk; NaN while it does not answer',
      registers: [this.registry],
      async collect() {
        this.set(await store.bytes().catch(() => NaN));
      },
    });
    new Gauge({
      name: 'cointoss_store_limit_bytes',
      help: 'Bytes at which the store takes no more reports (--store-limit)',
      registers: [this.registry],
    }).set(storeLimit);
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      this.#requestSeconds.observe({ route, status: reply.statusCode }, reply.elapsedTime / 1000);
      done();
    });
  }
}
