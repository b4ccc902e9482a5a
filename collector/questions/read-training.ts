import type { FastifyInstance } from 'fastify';
import { sendDownload } from '../http/download';
import { downloading } from '../http/asking';
import { featureColumn, sourceColumns } from '../http/source-columns';
import type { Column } from '../http/table';
import type { CollectorStore } from '../store/store';
import type { WeighedRow } from './label-evidence';
import { downloadSchema, type DownloadQuery } from '../http/schemas';
import { sourceFilterOf } from '../http/source-query';

/** What weighs labels. Few collectors are asked for them, and every start would pay for it. */
export const loadTraining = () => Promise.all([import('./label-evidence'), import('./training-rows')]);

/** Serves noisy labels with the features of their sources, for training. */
export function serveTraining(app: FastifyInstance, store: CollectorStore): void {
  const summary =
    'One row for each logged source: its noisy label, the mechanism and ε that noised it, the weights that undo the noise, what it says about the truth, its features';
  app.get<{ Querystring: DownloadQuery }>(
    '/training',
    { schema: downloadSchema('training', summary) },
    async (request, reply) => {
      const { format } = request.query;
      const filter = sourceFilterOf(request.query);
      const now = new Date();
      const asked = await downloading(store, reply);
      const [{ withEvidence }, { trainingRows }] = await loadTraining();
      const features = format === 'ndjson' ? [] : await asked.featureColumns();
      return sendDownload(reply, format, {
        name: 'training',
        rows: withEvidence(() => trainingRows(asked, filter, now)),
        columns: [
          ...columns,
          ...features.map((feature) => featureColumn(`feature_${feature.name}`, feature)),
        ],
        line,
      });
    },
  );
}

const columns: readonly Column<WeighedRow>[] = [
  ...sourceColumns,
  { name: 'mechanism', type: 'string', value: ({ definition }) => definition.mechanism.kind },
  {
    name: 'epsilon',
    type: 'number',
    value: ({ definition }) => Number(definition.registration['event_level_epsilon']),
  },
  { name: 'k', type: 'string', value: ({ definition }) => definition.k },
  { name: 'label', type: 'string', value: ({ label }) => label.label },
  { name: 'loss_weight', type: 'number', value: ({ weights }) => weights?.own ?? null },
  { name: 'loss_weight_others', type: 'number', value: ({ weights }) => weights?.others ?? null },
  {
    name: 'loss_weights',
    type: 'string',
    value: ({ weights }) => (weights?.each == null ? null : JSON.stringify(weights.each)),
  },
  { name: 'kept_probability', type: 'number', value: ({ evidence }) => evidence?.kept ?? null },
  { name: 'conversion_ratio', type: 'number', value: ({ evidence }) => evidence?.ratio ?? null },
  { name: 'reports', type: 'integer', value: ({ reports }) => reports },
  { name: 'complete', type: 'boolean', value: ({ complete }) => complete },
  { name: 'problem', type: 'string', value: ({ label }) => label.problem },
];

const line = (row: WeighedRow): object => ({
  ...Object.fromEntries(columns.map(({ name, value }) => [name, value(row)])),
  features: row.source.features,
});
