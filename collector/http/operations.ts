import type { FastifyInstance } from 'fastify';
import { logFailure } from './log-failure';
import type { Metrics } from './metrics';
import type { CollectorStore } from '../store/store';

/** Requests per minute and client. */
const HEALTH_LIMIT = 600;

/** Endpoints for the operator: health, metrics and API description. */
export function serveOperations(app: FastifyInstance, store: CollectorStore, metrics: Metrics): void {
  app.get(
    '/healthz',
    {
      // A separate limit, so that a client that sends many reports still gets an answer.
      config: { public: true, rateLimit: { max: HEALTH_LIMIT, timeWindow: '1 minute' } },
      schema: { summary: 'Whether the store answers and could write the last reports', tags: ['operations'] },
    },
    async (request, reply) => {
      try {
        await store.check();
        return { status: 'ok' };
      } catch (error) {
        logFailure(request, error);
        return reply.code(503).send({ status: 'the store does not answer or cannot write' });
      }
    },
  );

  app.get(
    '/metrics',
    { schema: { summary: 'Metrics for Prometheus', tags: ['operations'] } },
    async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );

  app.get('/openapi.json', { schema: { summary: 'This document', tags: ['operations'] } }, () =>
    app.swagger(),
  );
}
