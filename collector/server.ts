import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import fastify, { LogController, type FastifyError, type FastifyInstance } from 'fastify';
import { visible } from '../scripts/visible.mjs';
import { guard } from './access';
import type { CollectorOptions } from './options';
import { Metrics } from './http/metrics';
import { TokenCheck } from './intake/check-token';
import { forgetEndedTokens } from './intake/ended-tokens';
import { issueTokens } from './intake/issue-tokens';
import { Quota } from './intake/quota';
import { TokenKeys } from './intake/token-keys';
import { logFailure } from './http/log-failure';
import { reasonOf, Refusal, senderErrorOf } from './http/refusal';
import { serveAggregationKeys } from './intake/aggregation-keys';
import { serveDashboard } from './dashboard/route';
import { serveSources } from './intake/log-sources';
import { serveOperations } from './http/operations';
import { servePosted } from './intake/posted';
import { Analyst, loadPool } from './questions/analyst';
import { serveEstimates } from './questions/read-estimates';
import { serveReports } from './questions/read-reports';
import { serveStatistics } from './questions/read-statistics';
import { loadTraining, serveTraining } from './questions/read-training';
import { serveTruth } from './questions/read-truth';
import { receiveReports } from './intake/receive-reports';
import { QuestionStopped } from './store/database';
import { CollectorStore } from './store/store';
import type { OnSummed } from './store/sums';

/** `prepare` runs on the store before the server starts; `onSummed` is called before that, while the store gets sums that it lacks. */
export type PreparedOptions = CollectorOptions & {
  readonly onSummed?: OnSummed;
  readonly prepare?: (store: CollectorStore) => Promise<void>;
};

const DEFAULT_RATE_LIMIT = 6000;
const DEFAULT_CLIENT_BUDGET = 256 * 2 ** 20;
const DEFAULT_STORE_LIMIT = 10 * 2 ** 30;
/** Limits how long a client may take to send a request or its headers. */
const REQUEST_MILLISECONDS = 30_000;
const HEADERS_MILLISECONDS = 10_000;
const KEEP_ALIVE_MILLISECONDS = 60_000;

/** Creates a collector, ready to `listen`. Closing it answers the requests it has accepted, then closes its store. */
export async function createCollector(options: PreparedOptions): Promise<FastifyInstance> {
  const { tokens, rehearsal = false } = options;
  // Keys that are missing are said before a store is made.
  const keys = tokens === undefined ? null : await TokenKeys.of(tokens, rehearsal);
  const metrics = new Metrics();
  const store = await CollectorStore.open(options.store, metrics.batch, options.onSummed);
  try {
    await options.prepare?.(store);
    return await serve(options, keys, store, metrics);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(
  options: CollectorOptions,
  keys: TokenKeys | null,
  store: CollectorStore,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const {
    token = null,
    sourceLogToken = null,
    logger = false,
    rateLimit: max = DEFAULT_RATE_LIMIT,
    trustProxy,
    debugReports = false,
    rehearsal = false,
    clientBudget = DEFAULT_CLIENT_BUDGET,
    storeLimit = DEFAULT_STORE_LIMIT,
  } = options;
  const quota = new Quota({ client: clientBudget, store: storeLimit }, () => store.knownBytes);
  const app = fastify({
    logger: logger ? { level: 'info', stream: { write: logLine } } : false,
    logController: new LogController({ disableRequestLogging: true }),
    // A child for each request would only number its lines: `logFailure` does, and those are few.
    childLoggerFactory: (parent) => parent,
    requestTimeout: REQUEST_MILLISECONDS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    http: { headersTimeout: HEADERS_MILLISECONDS, connectionsCheckingInterval: 1000 },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, metrics),
    ajv: { customOptions: { removeAdditional: false } },
    ...(trustProxy === undefined ? {} : { trustProxy }),
  });
  app.addHook('onClose', () => store.close());
  closeUnusedConnections(app);
  addSecurityHeaders(app);
  refuseNull(app);
  refuseCompressed(app);
  metrics.observe(app, store, storeLimit);
  app.setErrorHandler(async (failure: FastifyError, request, reply) => {
    if (failure instanceof QuestionStopped)
      return reply.code(failure.statusCode).send({ error: failure.message, path: '' });
    const error = senderErrorOf(failure);
    if (error === null) {
      logFailure(request, failure);
      metrics.unavailable();
      return reply.code(503).send({ error: 'the store did not answer', path: '' });
    }
    const reason = reasonOf(error);
    metrics.refused(reason);
    const path = error instanceof Refusal ? error.path : '';
    return reply.code(error.statusCode).send({ error: error.message, path, reason });
  });
  await app.register(rateLimit, {
    max,
    timeWindow: '1 minute',
    // Senders need to know only when to try again.
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
  });
  // Otherwise unlimited guesses of tokens would be possible on unknown paths.
  const limitRate = app.rateLimit();
  app.addHook('onRequest', function (request, reply, done) {
    if (!request.is404) done();
    else void limitRate.call(this, request, reply).then(() => done(), done);
  });
  await app.register(swagger, {
    openapi: {
      info: {
        title: 'Cointoss collector',
        version: '1',
        description:
          'Receives noisy event-level reports and sealed aggregatable reports, keeps the log of their sources, and gives all back.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
  });
  await guard(app, { owner: token, sourceLog: sourceLogToken });
  const { tokens } = options;
  const check = keys === null || tokens === undefined ? null : new TokenCheck(keys, tokens.required);
  await receiveReports(app, store, metrics, { quota, debugReports, rehearsal, tokens: check });
  if (keys !== null && tokens !== undefined) {
    await issueTokens(app, store, keys, tokens.invitations);
    forgetEndedTokens(app, store, keys);
  }
  await serveSources(app, store, metrics, rehearsal);
  await servePosted(app, store);
  serveReports(app, store);
  if (options.aggregationKeys !== undefined) serveAggregationKeys(app, options.aggregationKeys);
  serveTraining(app, store);
  const analyst = new Analyst();
  app.addHook('onClose', () => analyst.close());
  serveEstimates(app, store, rehearsal, analyst);
  serveStatistics(app, store);
  if (options.truth !== undefined) serveTruth(app, store, options.truth, rehearsal);
  serveDashboard(app, options.truth !== undefined, () => {
    // Who asks for estimates gets the error.
    void analyst.start().catch(() => undefined);
  });
  serveOperations(app, store, metrics);
  // No start waits for these. Later, an update may have replaced their files; that of a thread is read when it starts.
  app.addHook('onListen', (done) => {
    void Promise.allSettled([loadPool(), loadTraining()]);
    done();
  });
  return app;
}

/** The log is JSON, which this does not change. */
const logLine = (line: string): void => void process.stderr.write(`${visible(line.trimEnd())}\n`);

/** Answers invalid or too slow requests. */
function refuseConnection(error: Error & { readonly code?: string }, socket: Socket, metrics: Metrics): void {
  // More data can arrive after the refusal and fail again.
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  metrics.refused(isLate ? 'timeout' : 'not-http');
  const status = isLate ? '408 Request Timeout' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon();
}

/**
 * Browsers open connections in advance. Node does not count a connection without a request as idle, so closing would wait for it for over a
 * minute.
 */
function closeUnusedConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    // A keep-alive connection becomes idle only after its last answer was sent.
    const closing = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(closing));
    done();
  });
}

/** PostgreSQL's text cannot hold U+0000. */
function refuseNull(app: FastifyInstance): void {
  // Runs after the rate limit and the token check, because the store counts these refusals.
  app.addHook('preValidation', ({ url }, _reply, done) => {
    done(url.includes('%00') ? new Refusal('other', 'the address must not have U+0000 in it') : undefined);
  });
}

/** Otherwise a compressed body would be reported as invalid UTF-8. */
function refuseCompressed(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers }, _reply, _payload, done) => {
    const encoding = headers['content-encoding']?.trim() ?? '';
    done(
      encoding === '' || encoding.toLowerCase() === 'identity'
        ? null
        : new Refusal(
            'content-encoding',
            `the body must come without Content-Encoding, was ${encoding.slice(0, 50)}`,
          ),
    );
  });
}

/** Keeps reports and sessions out of shared caches, and from other sites. The many answers to reports without content have nothing to keep. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', ({ routeOptions }, reply, payload, done) => {
    if (payload !== undefined || routeOptions.config.isEmpty !== true)
      reply.headers({
        'Cache-Control': 'no-store',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      });
    done();
  });
}
