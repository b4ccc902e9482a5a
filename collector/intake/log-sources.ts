import type { FastifyInstance } from 'fastify';
import { sourceRowSchema, writeSourceRow } from '../../formats/sources/source-row';
import type { JsonObject } from '../../src/model/json';
import { moment } from '../../src/model/units';
import { downloading } from '../http/asking';
import { sendDownload } from '../http/download';
import { featureColumn, sourceColumns } from '../http/source-columns';
import type { Column } from '../http/table';
import { logFailure } from '../http/log-failure';
import type { Metrics } from '../http/metrics';
import { reasonOf, Refusal, senderErrorOf, textOf } from '../http/refusal';
import type { Definition } from '../sources/definition';
import { firstIssueText, readSources, type LineIssue, type SourceFormat } from './read-sources';
import type { Questions } from '../store/questions';
import type { CollectorStore } from '../store/store';
import type { StoredSource } from '../store/sources';
import { downloadSchema, refusalSchema, type DownloadQuery } from '../http/schemas';
import { sourceFilterOf } from '../http/source-query';

const BODY_LIMIT = 64 * 2 ** 20;

const formats: Readonly<Record<string, SourceFormat>> = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

const outcomesSchema = {
  type: 'object',
  properties: {
    stored: { type: 'integer' },
    duplicates: { type: 'integer', description: 'Rows that were there already' },
    conflicting: { type: 'integer', description: 'Rows that were there already and said something else' },
  },
};

const issuesSchema = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    path: { type: 'string' },
    reason: { type: 'string' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line: { type: 'integer' },
          path: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
};

class BadSourceLog extends Refusal {
  constructor(readonly issues: readonly LineIssue[]) {
    super('not-a-source-log', firstIssueText(issues), issues[0]?.path);
  }
}

/**
 * Receives and returns the log of sources that the ad side registered.
 * @param rehearsal whether sources may have any future time.
 */
export async function serveSources(
  app: FastifyInstance,
  store: CollectorStore,
  metrics: Metrics,
  rehearsal: boolean,
): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    for (const type of Object.keys(formats))
      scope.addContentTypeParser(
        type,
        { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
        (_request, body, parsed) => parsed(null, body),
      );
    receiveSources(scope, store, metrics, rehearsal);
    done();
  });
  app.get(
    '/sources/corrections',
    {
      schema: {
        summary: 'What rows of the source log said before they were corrected, oldest correction first',
        description: 'NDJSON. A row names its configuration by its id.',
        tags: ['sources'],
        response: { 200: { description: 'A stream of rows', type: 'string' }, '4xx': refusalSchema },
      },
    },
    async (_request, reply) => {
      const asked = await downloading(store, reply);
      return sendDownload(reply, 'ndjson', {
        name: 'corrections',
        rows: described(asked, asked.corrections()),
        columns: [],
        line: (row) => ({ corrected_time: row.source.correctedTime.toISOString(), before: line(row) }),
      });
    },
  );
  app.get<{ Querystring: DownloadQuery }>(
    '/sources',
    { schema: downloadSchema('sources', 'The source log, oldest first') },
    async (request, reply) => {
      const { format } = request.query;
      const asked = await downloading(store, reply);
      const features = format === 'ndjson' ? [] : await asked.featureColumns();
      return sendDownload(reply, format, {
        name: 'sources',
        rows: described(asked, asked.sources(sourceFilterOf(request.query))),
        columns: [...columns, ...features.map((feature) => featureColumn(feature.name, feature))],
        line,
      });
    },
  );
}

function receiveSources(
  app: FastifyInstance,
  store: CollectorStore,
  metrics: Metrics,
  rehearsal: boolean,
): void {
  app.post('/sources', {
    config: { logsSources: true },
    bodyLimit: BODY_LIMIT,
    schema: {
      summary: 'Log sources, all of them or, when one is not valid, none',
      description: 'One row a source, as NDJSON or CSV; docs/source-log.md has the fields.',
      tags: ['sources'],
      body: {
        content: {
          'application/x-ndjson': { schema: { ...sourceRowSchema, description: 'Each line' } },
          'text/csv': { schema: { type: 'string' } },
        },
      },
      response: { 200: outcomesSchema, '4xx': issuesSchema, 503: refusalSchema },
    },
    validatorCompiler: () => () => true,
    errorHandler: (failure, request, reply) => {
      const error = senderErrorOf(failure);
      if (error === null) {
        logFailure(request, failure);
        metrics.unavailable();
        return void reply
          .code(503)
          .header('Retry-After', '10')
          .send({ error: 'the sources could not be stored', path: '' });
      }
      const reason = reasonOf(error);
      metrics.refused(reason);
      void reply.code(error.statusCode).send({
        error: error.message,
        path: error instanceof Refusal ? error.path : '',
        reason,
        ...(error instanceof BadSourceLog ? { issues: error.issues } : {}),
      });
    },
    handler: async (request) => {
      const [type = ''] = (request.headers['content-type'] ?? '').split(';');
      const format = formats[type.trim().toLowerCase()] ?? 'ndjson';
      const text = textOf(request.body, 'the source log');
      const { sources, configurations, issues } = await readSources(
        text,
        format,
        rehearsal ? null : new Date(),
        (ids) => store.configurations(ids),
      );
      if (issues.length > 0) throw new BadSourceLog(issues);
      const outcomes = await store.addSources(sources, configurations);
      metrics.loggedSources({ ...outcomes });
      return outcomes;
    },
  });
}

interface DescribedSource<Source = StoredSource> {
  readonly source: Source;
  readonly definition: Definition;
}

async function* described<Source extends StoredSource>(
  store: Questions,
  pages: AsyncIterable<readonly Source[]>,
): AsyncGenerator<DescribedSource<Source>> {
  const definitions = new Map<string, Definition>();
  for await (const sources of pages) {
    const ids = new Set(
      sources.map(({ configuration }) => configuration).filter((id) => !definitions.has(id)),
    );
    for (const { id, definition } of await store.configurations([...ids])) definitions.set(id, definition);
    for (const source of sources) {
      const definition = definitions.get(source.configuration);
      if (definition === undefined)
        throw new Error(`the configuration ${source.configuration} is not stored`);
      yield { source, definition };
    }
  }
}

/** The full registration of a logged source, so that a row needs no other row. */
const loggedRegistration = ({ source, definition }: DescribedSource): JsonObject => ({
  destination: source.destinations,
  source_event_id: String(source.sourceEventId),
  ...definition.registration,
});

const line = (row: DescribedSource): JsonObject => {
  const { configuration, destinations, time, ...source } = row.source;
  return writeSourceRow({
    ...source,
    destination: destinations,
    time: moment(time.getTime()),
    name: configuration,
    registration: loggedRegistration(row),
    mechanism: row.definition.mechanism,
  });
};

const columns: readonly Column<DescribedSource>[] = [
  ...sourceColumns,
  { name: 'registration', type: 'string', value: (row) => JSON.stringify(loggedRegistration(row)) },
  { name: 'mechanism', type: 'string', value: ({ definition }) => JSON.stringify(definition.mechanism) },
];
