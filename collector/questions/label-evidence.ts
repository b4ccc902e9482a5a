import { estimatorOf } from '../../analysis/estimate/unbiased/estimator-of';
import { labelEvidence, type LabelEvidence } from '../../analysis/estimate/likelihood/training-weights';
import { estimateConfiguration } from '../sources/estimate-configuration';
import type { Definition } from '../sources/definition';
import { reportsValue } from '../sources/mechanism';
import type { TrainingRow } from './training-rows';

export interface WeighedRow extends TrainingRow {
  /** Null without a label, and for mechanisms on values. */
  readonly evidence: LabelEvidence | null;
}

interface Labels {
  readonly definition: Definition;
  readonly tally: Map<string, number>;
}

/**
 * Adds what each label reveals about the truth. That depends on how often each label is true, so the rows are read twice: first to count
 * the labels of each configuration.
 */
export async function* withEvidence(rows: () => AsyncIterable<TrainingRow>): AsyncGenerator<WeighedRow> {
  const labels = new Map<string, Labels>();
  for await (const { source, definition, label } of rows()) {
    if (label.label === null || reportsValue(definition.mechanism)) continue;
    const known = labels.get(source.configuration) ?? { definition, tally: new Map<string, number>() };
    known.tally.set(label.label, (known.tally.get(label.label) ?? 0) + 1);
    labels.set(source.configuration, known);
  }
  const evidence = new Map([...labels].map(([id, found]) => [id, evidenceOf(found)]));
  for await (const row of rows()) {
    const { label } = row.label;
    yield {
      ...row,
      evidence: label === null ? null : (evidence.get(row.source.configuration)?.(label) ?? null),
    };
  }
}

function evidenceOf({ definition, tally }: Labels): (label: string) => LabelEvidence | null {
  const configuration = estimateConfiguration(definition);
  const likelihood = configuration === null ? null : estimatorOf(configuration).likelihood;
  return likelihood === null ? () => null : labelEvidence(likelihood.response, tally);
}
