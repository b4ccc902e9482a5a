import { english } from '../../words/english';
import { hash, randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../src/model/json';
import type { ReportKind } from '../../src/model/records';
import { parse, type Parsed } from '../../formats/codec/issues';
import { originOfUrl } from '../../src/model/origin';
import { RECEIPT_HEADER, receiptText } from '../../formats/tokens/receipt';
import { verboseReport } from '../../formats/reports/debug-report';
import { reportKinds, reportPaths } from '../../formats/reports/report-kind';
import type { Metrics } from '../http/metrics';
import { logFailure } from '../http/log-failure';
import { spentRefusal, type TokenCheck } from './check-token';
import type { Quota } from './quota';
import { reasonOf, Refusal, senderErrorOf, textOf, type RefusalReason } from '../http/refusal';
import { parseAggregatableReport, parseEventLevelReport } from './report-body';
import { bytesOf, type ReceivedReport, type SpentToken } from '../store/reports';
import { TokenSpent } from '../store/spent-tokens';
import type { CollectorStore } from '../store/store';
import { bodySchemas, refusalSchema } from '../http/schemas';

/** JSON.parse accepts any depth, but JSON.stringify overflows the stack, so a report that is too deep could not be shown. */
const MAX_DEPTH = 32;
/** A DNS name has up to 253 characters. The origin is indexed, and an index entry holds some 2,700. */
const MAX_ORIGIN_LENGTH = 300;
/** The origin and one of the report paths. */
const MAX_REPORT_URL_LENGTH = 400;
const REPORT_URL_HEADER = 'cointoss-report-url';

/** In bytes. An event-level report has a dozen short fields; a payload of 20 contributions has at most 1.2 kB, in debug mode twice. */
const BODY_LIMITS: Readonly<Record<ReportKind, number>> = {
  'event-level': 8 * 1024,
  'event-level-debug': 8 * 1024,
  'verbose-debug': 64 * 1024,
  aggregatable: 8 * 1024,
  'aggregatable-debug': 8 * 1024,
  'aggregate-debug': 8 * 1024,
};

/** The kinds that are always taken. Unencrypted debug reports are taken only on request. */
const nameOf: Readonly<Partial<Record<ReportKind, string>>> = {
  'event-level': 'an event-level report',
  aggregatable: 'an aggregatable report',
  'aggregate-debug': 'an aggregatable debug report',
};
/** Refusals that protect the store, so the store does not count them. */
const PROTECTIVE: ReadonlySet<RefusalReason> = new Set([
  'rate-limit',
  'client-budget',
  'store-full',
  'debug-reports-off',
]);

/** What may be stored. */
export interface Admission {
  readonly quota: Quota;
  readonly debugReports: boolean;
  /** Whether reports may have any future time. */
  readonly rehearsal: boolean;
  /** Null: reports bring no tokens. */
  readonly tokens: TokenCheck | null;
}

/** Accepts reports from anywhere, and answers 200 once they are durable. */
export async function receiveReports(
  app: FastifyInstance,
  store: CollectorStore,
  metrics: Metrics,
  admission: Admission,
): Promise<void> {
  // Has its own scope, so that only these routes receive unparsed bodies.
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    for (const kind of reportKinds) receive(scope, kind, store, metrics, admission);
    done();
  });
}

function receive(
  app: FastifyInstance,
  kind: ReportKind,
  store: CollectorStore,
  metrics: Metrics,
  { quota, debugReports, rehearsal, tokens }: Admission,
): void {
  const bodyLimit = BODY_LIMITS[kind];
  const brought = new WeakMap<FastifyRequest, SpentToken>();
  const ownOrigin = lastOrigin();
  app.post(reportPaths[kind], {
    config: { public: true, isEmpty: true },
    bodyLimit,
    schema: {
      summary: `Send ${nameOf[kind] ?? `a report of kind ${kind}`}`,
      tags: ['reports'],
      headers: {
        type: 'object',
        properties: {
          [REPORT_URL_HEADER]: { type: 'string', description: 'The URL the report was meant for' },
        },
      },
      body: bodySchemas[kind],
      response: {
        200: { type: 'null', description: 'It is durable, or another with its id is' },
        '4xx': refusalSchema,
        503: { ...refusalSchema, description: 'It may not be durable: send it again later' },
        507: { ...refusalSchema, description: 'The store has reached its limit: send it again later' },
      },
    },
    // Before the body is read.
    preParsing: (request, _reply, _payload, done) => {
      if (nameOf[kind] === undefined && !debugReports)
        throw new Refusal(
          'debug-reports-off',
          'this collector takes no debug reports; its operator can switch them on with --debug-reports',
        );
      const token = tokens?.tokenOf(request) ?? null;
      if (token !== null) brought.set(request, token);
      quota.check(request.ip);
      done();
    },
    // The schema is documentation only; our own checks give more precise errors.
    validatorCompiler: () => () => true,
    errorHandler: (error, request, reply) => void refuse(error, request, reply),
    handler: async (request, reply) => {
      const receivedTime = new Date();
      const { reportUrl, reportingOrigin } = addressee(request, ownOrigin);
      const body = textOf(request.body, 'the report');
      const facts = checkBody(kind, parseJson(body), rehearsal ? null : receivedTime, reportingOrigin);
      const token = brought.get(request);
      const report = {
        ...{ kind, reportingOrigin, reportUrl, receivedTime, body, ...facts },
        ...(token === undefined ? {} : { token }),
        // It has no id of its own; so its token, sent again with it, is good for one row.
        ...(token === undefined || kind !== 'verbose-debug' ? {} : { reportId: token.nonce }),
      };
      const { ip } = request;
      const { outcome } = await accepted(report);
      // The outcome may come later, and until then it counts.
      quota.add(ip, bytesOf(report));
      outcome.then(
        (found) => {
          if (found !== 'stored') quota.add(ip, -bytesOf(report));
          metrics.taken(kind, found);
        },
        (error: unknown) => logFailure(request, error),
      );
      // Web Crypto would have another thread do it, which costs several times as much.
      reply.header(RECEIPT_HEADER, hash('sha256', receiptText(body), 'base64url'));
      return reply.code(200).send();
    },
  });

  async function accepted(report: ReceivedReport): ReturnType<CollectorStore['accept']> {
    try {
      return await store.accept(report);
    } catch (error) {
      throw error instanceof TokenSpent ? spentRefusal() : error;
    }
  }

  async function refuse(
    failure: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const error = senderErrorOf(failure);
    if (error === null) {
      logFailure(request, failure);
      metrics.unavailable();
      return reply
        .code(503)
        .header('Retry-After', '10')
        .send({ error: 'the report could not be stored', path: '' });
    }
    const reason = reasonOf(error);
    metrics.refused(reason);
    request.log.info({ reqId: request.id, reason, kind, message: error.message }, 'refused');
    if (!PROTECTIVE.has(reason))
      await store.countRefused(kind).catch((problem: unknown) => logFailure(request, problem));
    if (error.statusCode === 401) tokens?.challenge(reply);
    if (reason === 'client-budget') reply.header('Retry-After', String(quota.secondsLeft));
    const path = error instanceof Refusal ? error.path : '';
    const message =
      reason === 'too-large' ? `the report must be at most ${bodyLimit} bytes long` : error.message;
    return reply.code(error.statusCode).send({ error: message, path, reason });
  }
}

/** The report's addressee: from the header in collector mode, otherwise the host that received it. */
function addressee(
  request: FastifyRequest,
  ownOrigin: (url: string) => string,
): { reportUrl: string | null; reportingOrigin: string } {
  const reportUrl = request.headers[REPORT_URL_HEADER];
  if (typeof reportUrl === 'string') {
    if (reportUrl.length > MAX_REPORT_URL_LENGTH) throw tooLong('Cointoss-Report-Url', MAX_REPORT_URL_LENGTH);
    return { reportUrl, reportingOrigin: originOf(reportUrl, 'Cointoss-Report-Url') };
  }
  return { reportUrl: null, reportingOrigin: ownOrigin(`${request.protocol}://${request.host}`) };
}

/** The origin of a collector's own URL. Nearly all reports have the same one, so the last is kept. */
function lastOrigin(): (url: string) => string {
  let last = { url: '', origin: '' };
  return (url) => {
    if (url !== last.url) last = { url, origin: originOf(url, 'Host') };
    return last.origin;
  };
}

function originOf(url: string, header: string): string {
  const origin = originOfUrl(url);
  if (origin === null)
    throw new Refusal(
      'report-url',
      `the header ${header} must name an origin with https, or with http on localhost, was ${url.slice(0, 200)}`,
      header,
    );
  if (origin.length > MAX_ORIGIN_LENGTH) throw tooLong(header, MAX_ORIGIN_LENGTH);
  return origin;
}

const tooLong = (header: string, most: number): Refusal =>
  new Refusal('report-url', `the header ${header} must be an address of at most ${most} characters`, header);

type Facts = Pick<ReceivedReport, 'reportId' | 'eventLevel' | 'sharedInfo'>;

/** What is in the body, once it is checked. */
function checkBody(kind: ReportKind, json: Json, now: Date | null, reportingOrigin: string): Facts {
  switch (kind) {
    case 'event-level':
    case 'event-level-debug': {
      const eventLevel = valid(parseEventLevelReport(json, now));
      return { reportId: eventLevel.reportId, eventLevel };
    }
    case 'aggregatable':
    case 'aggregatable-debug':
    case 'aggregate-debug': {
      const sharedInfo = valid(parseAggregatableReport(json, now, reportingOrigin));
      return { reportId: sharedInfo.reportId, eventLevel: null, sharedInfo };
    }
    case 'verbose-debug':
      valid(parse(json, verboseReport));
      return { reportId: randomUUID(), eventLevel: null };
  }
}

function valid<T>({ value, errors }: Parsed<T>): T {
  if (value !== null) return value;
  const [issue] = errors;
  throw issue === undefined
    ? new Error('a refused report has no error')
    : new Refusal('not-a-report', `${issue.path || 'the report'} ${english.mistakeText(issue)}`, issue.path);
}

function parseJson(text: string): Json {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch (error) {
    throw new Refusal('not-json', `the report must be JSON: ${(error as SyntaxError).message}`);
  }
  if (isDeeperThan(MAX_DEPTH, json))
    throw new Refusal('too-deep', `the report must nest at most ${MAX_DEPTH} levels deep`);
  return json;
}

/** Whether lists and objects are nested more than `levels` deep. */
function isDeeperThan(levels: number, json: Json): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((child: Json) => isDeeperThan(levels - 1, child));
}
