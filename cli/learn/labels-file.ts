import type { ReportedLabels } from '../../analysis/learn/reported-labels';
import type { DataMap } from '../../analysis/learn/data-map';
import type { LabelKind } from '../../analysis/learn/examples';
import { isJsonObject } from '../../src/model/json';
import { integer, number, choice, orNull, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import { accept, InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';

/* Labels from reports, as NDJSON: a line for each example that has one, and a last line about all. */

export interface LabelLine {
  /** The number of the example in its file, from 1. */
  readonly row: number;
  readonly label: number;
  /** Null if the noise cannot be inverted, or if reports were still missing. */
  readonly debiased: number | null;
}

export interface LastLine {
  readonly kind: LabelKind;
  /** The largest of all sources. */
  readonly epsilon: number;
  readonly labels: number;
}

const labelLine =
  (count: number): Parser<LabelLine> =>
  (place) => {
    const fields = new Fields(place);
    return {
      row: fields.required('row', integer(1, count), 1),
      label: fields.required('label', number(-Number.MAX_VALUE, Number.MAX_VALUE), 0),
      debiased: fields.required('debiased', orNull(number(-Number.MAX_VALUE, Number.MAX_VALUE)), null),
    };
  };

const lastLine =
  (labels: number): Parser<LastLine> =>
  (place) => {
    const fields = new Fields(place);
    return {
      kind: fields.required('kind', choice('conversion', 'number', 'value'), 'conversion'),
      epsilon: fields.required('epsilon', number(Number.MIN_VALUE, Number.MAX_VALUE), 1),
      labels: fields.required('labels', integer(labels, labels), 0),
    };
  };

/**
 * @param count how many examples there are.
 * @returns the labels in the order of the examples in their file.
 * @throws InputError
 */
export async function readLabels(file: string, count: number): Promise<ReportedLabels> {
  const labels = new Float32Array(new SharedArrayBuffer(4 * count)).fill(NaN);
  const debiased = new Float32Array(new SharedArrayBuffer(4 * count)).fill(NaN);
  let read = 0;
  let last: LastLine | null = null;
  for await (const { place, value } of eachRow(new InputFiles([file]))) {
    if (isJsonObject(value) && Object.hasOwn(value, 'kind')) {
      last = accept(place, parse(value, lastLine(read)));
      continue;
    }
    const found = accept(place, parse(value, labelLine(count)));
    labels[found.row - 1] = found.label;
    debiased[found.row - 1] = found.debiased ?? NaN;
    read += 1;
  }
  if (last === null) throw new InputError(`${file}: must be complete, as \`learn labels\` writes it`);
  return { kind: last.kind, epsilon: last.epsilon, labels, debiased };
}

/** Labels from reports are those that were known when the training part ended. @throws InputError */
export function refuseRandomSplit({ split }: DataMap, place: string): void {
  if (split.random !== null)
    throw new InputError(
      `${place}: is split at random; labels from reports need a split by time: leave "random" out of the map`,
    );
}
