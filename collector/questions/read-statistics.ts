import type { FastifyInstance } from 'fastify';
import { estimateConfiguration } from '../sources/estimate-configuration';
import { counts, dimensions, statistics, type CountsAnswer } from '../http/answers';
import { asking } from '../http/asking';
import type { Questions } from '../store/questions';
import type { CollectorStore } from '../store/store';
import { answerSchema, oneGroup, querySchema, sendJson } from '../http/schemas';
import { sourceFilterOf, type SourceQuery } from '../http/source-query';

interface StatisticsQuery extends SourceQuery {
  readonly group: string;
}

/** Serves the dashboard's counts, which the database computes. Estimates are separate. */
export function serveStatistics(app: FastifyInstance, store: CollectorStore): void {
  app.get(
    '/counts',
    {
      schema: {
        summary: 'Reports by what became of them, and the newest source',
        tags: ['statistics'],
        response: answerSchema('The counts', counts),
      },
    },
    async (_request, reply) => sendJson(reply, counts.write(await countsIn(await asking(store, reply)))),
  );

  app.get<{ Querystring: StatisticsQuery }>(
    '/statistics',
    {
      schema: {
        summary: 'Event-level reports over time, by group and by delay',
        tags: ['statistics'],
        querystring: querySchema(oneGroup),
        response: answerSchema('The counts', statistics),
      },
    },
    async (request, reply) => {
      const asked = await asking(store, reply);
      const found = await asked.statistics(sourceFilterOf(request.query), request.query.group);
      return sendJson(reply, statistics.write(found));
    },
  );

  app.get(
    '/dimensions',
    {
      schema: {
        summary: 'What sources can be chosen and grouped by, and the configurations that they have',
        tags: ['statistics'],
        response: answerSchema('Properties, features and configurations', dimensions),
      },
    },
    async (_request, reply) => {
      const asked = await asking(store, reply);
      const before = await countsIn(asked);
      const found = await asked.dimensions();
      const ids = found.find(({ name }) => name === 'configuration')?.values ?? [];
      const stored = await asked.configurations(ids.map(({ value }) => value));
      const configurations = stored.map(({ id, definition }) => ({
        id,
        definition,
        shape: estimateConfiguration(definition)?.shape ?? null,
      }));
      return sendJson(reply, dimensions.write({ counts: before, dimensions: found, configurations }));
    },
  );
}

async function countsIn(asked: Questions): Promise<CountsAnswer> {
  const newest_source = await asked.newestSource();
  const newest_posted = await asked.newestPosted();
  return { ...(await asked.counts()), newest_source, newest_posted };
}
