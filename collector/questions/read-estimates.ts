import type { FastifyInstance } from 'fastify';
import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import {
  estimateResult,
  type ConfigurationJson,
  type EstimateResultJson,
} from '../../analysis/estimate/result/estimate-result';
import type { EstimateJson, GroupJson, TotalJson } from '../../analysis/estimate/result/group-result';
import { seconds } from '../../src/model/units';
import { EstimatesStopped, type Analyst } from './analyst';
import { joinStore } from './join-store';
import { asking, goneSignal } from '../http/asking';
import { sendDownload } from '../http/download';
import type { Column, DownloadFormat } from '../http/table';
import type { CollectorStore } from '../store/store';
import { answerSchema, downloadFormats, refusalSchema, sendJson } from '../http/schemas';
import { completenessOf, completenessProperties, type CompletenessQuery } from './completeness';
import { featureProperties, sourceFilterOf, sourceProperties, type SourceQuery } from '../http/source-query';

interface EstimatesQuery extends SourceQuery, CompletenessQuery {
  readonly format: 'json' | DownloadFormat;
  readonly group: readonly string[];
  readonly level: number;
  readonly likelihood: boolean;
  readonly states: boolean;
  readonly top_states?: number;
  readonly noise_only: boolean;
}

const MAX_GROUPS = 4;

const estimatesQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    format: {
      enum: ['json', ...downloadFormats],
      default: 'json',
      description: '`json` as `cointoss estimate` prints it; the others have a row for each estimate',
    },
    group: {
      type: 'array',
      maxItems: MAX_GROUPS,
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'A feature of the source log, or destination, source_type, reporting_origin, configuration or mechanism; once for each level',
    },
    level: {
      type: 'number',
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      default: 0.95,
      description: 'Confidence level of the intervals',
    },
    likelihood: {
      type: 'boolean',
      default: false,
      description: 'Add estimates by maximum likelihood: biased, but with smaller errors, and they add up',
    },
    states: {
      type: 'boolean',
      default: false,
      description: 'Estimate how many sources have each output that was observed, too',
    },
    top_states: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description:
        'As `states`, but of all sources together only: no report, and so many of the others, the most frequent ones',
    },
    noise_only: {
      type: 'boolean',
      default: false,
      description: 'Intervals of what these users did: only the noise is random, not who was there',
    },
    ...completenessProperties,
    ...sourceProperties,
  },
  patternProperties: featureProperties,
} as const;

/**
 * Serves estimates over the stored data, like `cointoss estimate`.
 * @param rehearsal whether to follow clocks that were turned forward.
 */
export function serveEstimates(
  app: FastifyInstance,
  store: CollectorStore,
  rehearsal: boolean,
  analyst: Analyst,
): void {
  app.get<{ Querystring: EstimatesQuery }>(
    '/estimates',
    {
      schema: {
        summary: 'Conversions, estimated without bias, with variances and confidence intervals',
        description: 'docs/estimate-methods.md says what the numbers are and how they come about.',
        tags: ['estimates'],
        querystring: estimatesQuery,
        response: {
          ...answerSchema('The estimates', estimateResult, {
            '*/*': { schema: { type: 'string', description: 'A stream of rows' } },
          }),
          503: refusalSchema,
        },
      },
    },
    async (request, reply) => {
      const { format, group, skew } = request.query;
      const asked = await asking(store, reply);
      const ahead = rehearsal ? await asked.clockAhead() : 0;
      const completeness = completenessOf(request.query, ahead, Date.now());
      const joined = await joinStore(asked, sourceFilterOf(request.query), group, {
        skew: seconds(skew),
        completeUntil: completeness.until,
      });
      const question = { joined, groupBy: group, options: optionsOf(request.query) };
      const result = await analyst.analyse(question, goneSignal(reply)).catch((error: unknown) => {
        if (error instanceof EstimatesStopped) return error;
        throw error;
      });
      if (result instanceof EstimatesStopped)
        return reply.code(503).send({ error: result.message, path: '' });
      if (format === 'json') {
        const { grace, clockAhead } = completeness;
        const followed = clockAhead === null ? {} : { clock_ahead: clockAhead };
        return sendJson(reply, estimateResult.write({ ...result, grace, ...followed }));
      }
      return sendDownload(reply, format, {
        name: 'estimates',
        rows: rowsOf(result),
        columns: [...columns.slice(0, 4), ...group.map(groupColumn), ...columns.slice(4)],
        line: ({ configuration, group: of, total, sources, estimate }) => ({
          configuration: configuration?.configuration ?? null,
          mechanism: configuration?.mechanism ?? null,
          epsilon: configuration?.epsilon ?? null,
          outputs: configuration?.outputs ?? null,
          group: of.group,
          sources,
          all_sources: total?.sources ?? null,
          rank: total?.rank ?? null,
          unranked: total?.unranked ?? null,
          ...estimate,
        }),
      });
    },
  );
}

const optionsOf = ({
  level,
  noise_only: noiseOnly,
  likelihood,
  states,
  top_states: most,
}: EstimatesQuery): AnalysisOptions => ({
  level,
  randomness: noiseOnly ? 'noise' : 'noise-and-sampling',
  likelihood,
  singles: !states && most !== undefined ? { most } : states,
});

interface EstimateRow {
  /** Null for totals over several configurations. */
  readonly configuration: ConfigurationJson | null;
  readonly group: GroupJson;
  /** The same group, if it is a total. */
  readonly total: TotalJson | null;
  /** Those that the estimate is of. */
  readonly sources: number;
  readonly estimate: EstimateJson;
}

// oxlint-disable-next-line typescript/require-await -- downloads take their rows as they come
async function* rowsOf({ configurations, totals }: EstimateResultJson): AsyncGenerator<EstimateRow> {
  for (const configuration of configurations)
    for (const group of configuration.groups)
      for (const estimate of group.estimates)
        yield { configuration, group, total: null, sources: group.sources, estimate };
  for (const total of totals) {
    const of = { configuration: null, group: total, total };
    for (const estimate of total.estimates.length === 0 ? [unknown] : total.estimates)
      yield { ...of, sources: total.covered, estimate };
    if (total.values !== null) yield { ...of, sources: total.values.sources, estimate: total.values.sum };
  }
}

/** The estimate of a group whose reports do not count conversions. */
const unknown: EstimateJson = {
  quantity: 'conversions',
  ...{ observed: null, noise: null, noise_share: null, estimate: null, unbiased: null },
  ...{ variance: null, noise_variance: null, interval: [null, null] },
};

/** Empty in the rows of larger groups, which this feature does not divide. */
const groupColumn = (name: string): Column<EstimateRow> => ({
  name: `group_${name}`,
  type: 'string',
  value: ({ group }) => (Object.hasOwn(group.group, name) ? (group.group[name] ?? null) : null),
});

const number = (name: string, value: (estimate: EstimateJson) => number | null): Column<EstimateRow> => ({
  name,
  type: 'number',
  value: ({ estimate }) => value(estimate),
});

/** The first four describe the configuration, the others the estimate. */
const columns: readonly Column<EstimateRow>[] = [
  {
    name: 'configuration',
    type: 'string',
    value: ({ configuration }) => configuration?.configuration ?? null,
  },
  { name: 'mechanism', type: 'string', value: ({ configuration }) => configuration?.mechanism ?? null },
  { name: 'epsilon', type: 'number', value: ({ configuration }) => configuration?.epsilon ?? null },
  { name: 'outputs', type: 'string', value: ({ configuration }) => configuration?.outputs ?? null },
  { name: 'sources', type: 'integer', value: ({ sources }) => sources },
  { name: 'all_sources', type: 'integer', value: ({ total }) => total?.sources ?? null },
  { name: 'rank_best', type: 'integer', value: ({ total }) => total?.rank?.best ?? null },
  { name: 'rank_worst', type: 'integer', value: ({ total }) => total?.rank?.worst ?? null },
  { name: 'unranked', type: 'string', value: ({ total }) => total?.unranked ?? null },
  { name: 'quantity', type: 'string', value: ({ estimate }) => estimate.quantity },
  number('trigger_data', (estimate) => estimate.trigger_data ?? null),
  number('window_end', (estimate) => estimate.window_end ?? null),
  number('bucket_first', (estimate) => estimate.bucket?.[0] ?? null),
  { name: 'state', type: 'string', value: ({ estimate }) => estimate.state ?? null },
  number('value', (estimate) => estimate.value ?? null),
  { name: 'values', type: 'string', value: ({ estimate }) => estimate.values?.join(' ') ?? null },
  number('observed', (estimate) => estimate.observed),
  number('noise', (estimate) => estimate.noise),
  number('noise_share', (estimate) => estimate.noise_share),
  number('estimate', (estimate) => estimate.estimate),
  number('unbiased', (estimate) => estimate.unbiased),
  number('variance', (estimate) => estimate.variance),
  number('noise_variance', (estimate) => estimate.noise_variance),
  number('low', (estimate) => estimate.interval[0]),
  number('high', (estimate) => estimate.interval[1]),
  number('likely_estimate', (estimate) => estimate.likelihood?.estimate ?? null),
  number('likely_low', (estimate) => estimate.likelihood?.interval[0] ?? null),
  number('likely_high', (estimate) => estimate.likelihood?.interval[1] ?? null),
];
