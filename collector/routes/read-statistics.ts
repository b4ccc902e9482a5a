import type { FastifyInstance } from 'fastify';
import { estimateConfiguration } from '../estimates/estimate-configuration';
import type { CollectorStore } from '../store/store';
import { refusalSchema } from './schemas';
import { featureProperties, sourceFilterOf, sourceProperties, type SourceQuery } from './source-query';

interface StatisticsQuery extends SourceQuery {
  readonly group: string;
}

/** Serves the dashboard's counts, which the database computes. Estimates are separate. */
export function serveStatistics(app: FastifyInstance, store: CollectorStore): void {
  app.get(
    '/counts',
    { schema: { summary: 'Reports by what became of them, and the newest source', tags: ['statistics'] } },
    async () => ({ ...(await store.counts()), newest_source: await store.newestSource() }),
  );

  app.get<{ Querystring: StatisticsQuery }>(
    '/statistics',
    {
      schema: {
        summary: 'Event-level reports over time, by group and by delay',
        tags: ['statistics'],
        querystring: {
          type: 'object',
          additionalProperties: false,
          properties: {
            group: {
              type: 'string',
              minLength: 1,
              default: 'destination',
              description: 'As for /estimates, but one',
            },
            ...sourceProperties,
          },
          patternProperties: featureProperties,
        },
        response: { '4xx': refusalSchema },
      },
    },
    (request) => store.statistics(sourceFilterOf(request.query), request.query.group),
  );

  app.get(
    '/dimensions',
    {
      schema: {
        summary: 'What sources can be chosen and grouped by, and the configurations that they have',
        tags: ['statistics'],
      },
    },
    async () => {
      const dimensions = await store.dimensions();
      const ids = dimensions.find(({ name }) => name === 'configuration')?.values ?? [];
      const configurations = await store.configurations(ids.map(({ value }) => value));
      return {
        dimensions,
        configurations: configurations.map(({ id, definition }) => ({
          id,
          definition,
          shape: estimateConfiguration(definition)?.shape ?? null,
        })),
      };
    },
  );
}
