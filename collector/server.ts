import type { Socket } from 'node:net';
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Json } from '../src/model/recording-rule';
import type { ReportKind } from '../src/model/records';
import { parseEventLevelReport, parseVerboseReport, type EventLevelReport } from './report-body';
import { serveViews } from './views';
import { CollectorStore } from './store';

export interface CollectorOptions {
  /** A folder for the database, or `memory://`. */
  readonly store: string;
  /** Logs each request as a JSON line; off unless asked for. */
  readonly logger?: boolean;
}

const BODY_LIMIT = 64 * 1024;
/** JSON.parse takes any depth, JSON.stringify overflows the stack: a report that is too deep could not be shown. */
const MAX_DEPTH = 32;
const REPORT_URL_HEADER = 'cointoss-report-url';

/** ARA, "get report request URL". */
const reportPaths: Readonly<Record<ReportKind, string>> = {
  'event-level': '/.well-known/attribution-reporting/report-event-attribution',
  'event-level-debug': '/.well-known/attribution-reporting/debug/report-event-attribution',
  'verbose-debug': '/.well-known/attribution-reporting/debug/verbose',
};

/** The collector, ready to `listen`. Closing it closes its store. */
export async function createCollector({
  store: path,
  logger = false,
}: CollectorOptions): Promise<FastifyInstance> {
  const store = await CollectorStore.open(path);
  const app = fastify({ logger, bodyLimit: BODY_LIMIT });
  app.addHook('onClose', () => store.close());
  closeUnusedConnections(app);
  addSecurityHeaders(app);
  keepBodiesAsText(app);
  for (const kind of Object.keys(reportPaths) as ReportKind[]) await receiveReports(app, store, kind);
  serveViews(app, store);
  return app;
}

/**
 * Browsers open connections ahead of need. To Node one without a request is not idle, so closing would wait for it
 * for more than a minute.
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
    done();
  });
}

/** Reports are kept as they came, so no route gets a parsed body. */
function keepBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
}

/** No report is for a shared cache, and no other site may read one. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
  });
}

async function receiveReports(app: FastifyInstance, store: CollectorStore, kind: ReportKind): Promise<void> {
  // In a scope of its own, so that the error handler is of this route only.
  await app.register((route, _options, done) => {
    route.setErrorHandler(async (error: FastifyError, request, reply) => {
      if (error.statusCode === undefined || error.statusCode >= 500) {
        request.log.error(error);
        return reply.code(503).send({ error: 'the report could not be stored', path: '' });
      }
      await store.countRefused(kind);
      const path = error instanceof Refusal ? error.path : '';
      return reply.code(error.statusCode).send({ error: error.message, path });
    });
    route.post(reportPaths[kind], async (request, reply) => {
      const receivedTime = new Date();
      const { reportUrl, reportingOrigin } = addressee(request);
      const body = textOf(request.body);
      const eventLevel = checkBody(kind, body);
      await store.add({ kind, reportingOrigin, reportUrl, receivedTime, body, eventLevel });
      return reply.code(200).send();
    });
    done();
  });
}

/** Why a report is not taken: the sender's mistake. */
class Refusal extends Error {
  readonly statusCode = 400;

  /** @param path where in the report, or the name of the header. */
  constructor(
    message: string,
    readonly path = '',
  ) {
    super(message);
  }
}

/** For whom the report is: in collector mode the header says it, else the host it was sent to. */
function addressee(request: FastifyRequest): { reportUrl: string | null; reportingOrigin: string } {
  const reportUrl = request.headers[REPORT_URL_HEADER];
  if (typeof reportUrl === 'string') {
    return { reportUrl, reportingOrigin: originOf(reportUrl, 'Cointoss-Report-Url') };
  }
  return { reportUrl: null, reportingOrigin: originOf(`${request.protocol}://${request.host}`, 'Host') };
}

function originOf(url: string, header: string): string {
  if (URL.canParse(url) && /^https?:/i.test(url)) return new URL(url).origin;
  throw new Refusal(`the header ${header} must name an http or https URL, was ${url}`, header);
}

function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array)) throw new Refusal('the report must be JSON, was empty');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('the report must be UTF-8');
  }
}

function checkBody(kind: ReportKind, body: string): EventLevelReport | null {
  const json = parseJson(body);
  const { value, errors } = kind === 'verbose-debug' ? parseVerboseReport(json) : parseEventLevelReport(json);
  const [issue] = errors;
  if (issue !== undefined) {
    throw new Refusal(`${issue.path || 'the report'} ${issue.message}`, issue.path);
  }
  return value !== null && 'reportId' in value ? value : null;
}

function parseJson(text: string): Json {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch (error) {
    throw new Refusal(`the report must be JSON: ${(error as SyntaxError).message}`);
  }
  if (isDeeperThan(MAX_DEPTH, json))
    throw new Refusal(`the report must nest at most ${MAX_DEPTH} levels deep`);
  return json;
}

/** Whether lists and objects stand in more than `levels` levels. */
function isDeeperThan(levels: number, json: Json): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((child: Json) => isDeeperThan(levels - 1, child));
}
