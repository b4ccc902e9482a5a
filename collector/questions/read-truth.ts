import type { FastifyInstance } from 'fastify';
import { asking } from '../http/asking';
import { truth as answer } from '../http/answers';
import { joinTruth } from './join-store';
import type { CollectorStore } from '../store/store';
import type { Truth } from '../store/true-counts';
import { completenessOf, completenessProperties, type CompletenessQuery } from './completeness';
import { answerSchema, oneGroup, querySchema, sendJson } from '../http/schemas';
import { sourceFilterOf, type SourceQuery } from '../http/source-query';

type TruthQuery = SourceQuery & CompletenessQuery & { readonly group: string };

/**
 * Serves what happened to the sources that `/estimates` estimates, in a demo.
 * @param rehearsal as for the estimates.
 */
export function serveTruth(
  app: FastifyInstance,
  store: CollectorStore,
  truth: Truth,
  rehearsal: boolean,
): void {
  app.get<{ Querystring: TruthQuery }>(
    '/truth',
    {
      schema: {
        summary: 'What happened, which only a demo knows',
        tags: ['estimates'],
        querystring: querySchema({ ...oneGroup, ...completenessProperties }),
        response: answerSchema('Conversions by configuration and group', answer),
      },
    },
    async ({ query }, reply) => {
      const asked = await asking(store, reply);
      const ahead = rehearsal ? await asked.clockAhead() : 0;
      const { until } = completenessOf(query, ahead, Date.now());
      const found = await joinTruth(asked, sourceFilterOf(query), [query.group], until, await truth());
      const groups = found.map(({ grouped, ...total }) => ({ ...total, group: grouped[0] ?? '' }));
      return sendJson(reply, answer.write({ groups }));
    },
  );
}
