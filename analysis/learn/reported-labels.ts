import type { OutputShape } from '../estimate/quantities/quantities';
import { StateMeasures } from '../estimate/quantities/state-measures';
import { onlyRows, rowsWhere, withLabels, type Examples, type LabelKind } from './examples';

/** What the reports of a source say of its label. */
export interface ReportedLabel {
  readonly label: number;
  /** The mean over the noise is the true label; null where the noise cannot be undone. */
  readonly debiased: number | null;
}

/** The weights of an observed state and of each other one, which undo randomized response. */
interface StateWeights {
  readonly own: number | null;
  readonly others: number | null;
}

export type LabelReader = (label: string, weights: StateWeights | null) => ReportedLabel;

const quantityOf = { conversion: 'conversion-rate', number: 'conversions', value: 'value' } as const;

/**
 * Reads labels that are states: whether there are reports, how many, or the value that they tell.
 * @param states how many there are.
 * @returns null for values that the states do not tell.
 */
export function stateReader(kind: LabelKind, shape: OutputShape, states: number): LabelReader | null {
  if (kind === 'value' && !shape.flexible) return null;
  const { adds, mean } = new StateMeasures(shape).measure({ kind: quantityOf[kind] });
  return (state, weights) => {
    const label = adds(state);
    const { own, others } = weights ?? { own: null, others: null };
    // All other states together add what a mean state does, times their number, less what this one does.
    const debiased = own === null || others === null ? null : own * label + others * (states * mean - label);
    return { label, debiased };
  };
}

/**
 * Reads labels that are noisy values.
 * @param isUnbiased whether the mean over the noise is the true value.
 */
export function valueReader(kind: LabelKind, isUnbiased: boolean): LabelReader {
  return (text) => {
    const value = Number(text);
    if (kind === 'conversion') return { label: value > 0 ? 1 : 0, debiased: null };
    return { label: value, debiased: isUnbiased ? value : null };
  };
}

/** Labels for examples, in their order; NaN for those without. */
export interface ReportedLabels {
  readonly kind: LabelKind;
  /** What each source loses. */
  readonly epsilon: number;
  readonly labels: Float32Array;
  readonly debiased: Float32Array;
}

/**
 * The examples that have labels from reports, with these labels.
 * @throws RangeError when there are none, or they are of another kind.
 */
export function withReportedLabels(
  examples: Examples,
  reported: ReportedLabels,
  kind: LabelKind,
  isDebiased: boolean,
): Examples {
  if (kind !== reported.kind)
    throw new RangeError(
      `a figure has the label ${kind}, but the labels of the reports are of the kind ${reported.kind}`,
    );
  const labels = isDebiased ? reported.debiased : reported.labels;
  const rows = rowsWhere(labels.length, (row) => !Number.isNaN(labels[row]));
  if (rows.length === 0)
    throw new RangeError(
      isDebiased
        ? 'no source of the training part has all its reports, in a way that can be de-biased, when that part ends (shorten the windows, or say "debiased": [false])'
        : 'no source of the training part has a label',
    );
  const chosen = onlyRows(examples, rows);
  return withLabels(
    { ...chosen, fields: { ...chosen.fields, label: kind } },
    rows.length === labels.length ? labels : labels.filter((label) => !Number.isNaN(label)),
  );
}
