import type { FastifyInstance } from 'fastify';
import { PUBLIC_KEYS_PATH, publicKeys, type PublicKey } from '../../formats/reports/sealed-payload';
import { answerSchema, sendJson } from '../http/schemas';

/** Serves the public keys of the aggregation service, so that browsers can seal payloads for it. */
export function serveAggregationKeys(app: FastifyInstance, keys: readonly PublicKey[]): void {
  app.get(
    PUBLIC_KEYS_PATH,
    {
      config: { public: true },
      schema: {
        summary: 'The public keys of the aggregation service',
        tags: ['reports'],
        response: answerSchema('Any of them may be used', publicKeys),
      },
    },
    (_, reply) => sendJson(reply, publicKeys.write({ keys })),
  );
}
