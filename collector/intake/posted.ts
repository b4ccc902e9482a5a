import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../src/model/json';
import type { Codec } from '../../formats/codec/codec';
import { reach, summary, type PostedAnswer } from '../http/answers';
import { asking } from '../http/asking';
import { readLines, type LineParser } from '../http/read-lines';
import { reachLine } from '../http/posted-reach';
import { sliceLine } from '../http/posted-summary';
import { Refusal, textOf } from '../http/refusal';
import type { PostedKind } from '../store/posted';
import type { CollectorStore } from '../store/store';
import { answerSchema, refusalSchema, sendJson } from '../http/schemas';

const BODY_LIMIT = 2 ** 20;

/** Results of other commands for the dashboard: the collector cannot open aggregatable reports, and does not know who is who. */
interface PostedRoute<Row> {
  readonly kind: PostedKind;
  readonly path: string;
  readonly summary: string;
  readonly line: LineParser<Row>;
  readonly answer: Codec<PostedAnswer<Row>>;
  /** The error for a body without a row to show. */
  readonly empty: string;
}

export async function servePosted(app: FastifyInstance, store: CollectorStore): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-ndjson',
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      (_request, body, parsed) => parsed(null, body),
    );
    serve(scope, store, {
      kind: 'summary',
      path: '/summaries',
      summary: 'the slices of a summary report',
      line: sliceLine,
      answer: summary,
      empty: 'must have slices: make it with cointoss aggregate --tree --slices COLUMNS',
    });
    serve(scope, store, {
      kind: 'histogram',
      path: '/histograms',
      summary: 'the slices of a histogram of W3C Attribution',
      line: sliceLine,
      answer: summary,
      empty: 'must have slices: make it with cointoss aggregate w3c --buckets FILE --slices COLUMNS',
    });
    serve(scope, store, {
      kind: 'reach',
      path: '/reach',
      summary: 'how many people have impressions',
      line: reachLine,
      answer: reach,
      empty: 'must have rows of reach',
    });
    done();
  });
}

function serve<Row>(
  app: FastifyInstance,
  store: CollectorStore,
  { kind, path, summary: what, line, answer, empty }: PostedRoute<Row>,
): void {
  app.post(path, {
    bodyLimit: BODY_LIMIT,
    schema: {
      summary: `Show ${what}, in place of what was posted before`,
      description: `NDJSON of at most ${BODY_LIMIT} bytes; docs/dashboard.md says which command writes it.`,
      tags: ['posted'],
      body: { content: { 'application/x-ndjson': { schema: { ...line.schema, description: 'Each line' } } } },
      response: {
        200: { type: 'object', properties: { shown: { type: 'integer', description: 'Rows' } } },
        '4xx': refusalSchema,
        503: refusalSchema,
      },
    },
    validatorCompiler: () => () => true,
    handler: async ({ body }) => {
      const rows = await readLines(textOf(body, 'the body'), line);
      if (rows.length === 0) throw new Refusal('not-a-result', empty);
      const written = answer.write({ received_time: null, rows }) as JsonObject;
      await store.post(kind, JSON.stringify(written['rows']));
      return { shown: rows.length };
    },
  });
  app.get(
    path,
    { schema: { summary: `The newest: ${what}`, tags: ['posted'], response: answerSchema('Rows', answer) } },
    async (_request, reply) => {
      const found = await (await asking(store, reply)).posted(kind);
      return sendJson(reply, {
        received_time: found?.receivedTime.toISOString() ?? null,
        rows: found === null ? [] : (JSON.parse(found.content) as JsonObject[]),
      });
    },
  );
}
