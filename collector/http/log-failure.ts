import type { FastifyRequest } from 'fastify';

/** Logs an error with the number of its request, which ties together what the log has of it. */
export const logFailure = ({ log, id }: FastifyRequest, error: unknown): void =>
  log.error({ reqId: id, err: error });
