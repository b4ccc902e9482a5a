import { number, orNull, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import type { CellResult } from './run-cell';

const finite = number(-Number.MAX_VALUE, Number.MAX_VALUE);

/** Reads a result from a journal. */
export const cellResult: Parser<CellResult> = (place) => {
  const fields = new Fields(place);
  const value = (name: string): number => fields.required(name, finite, 0);
  const valueOrNull = (name: string): number | null =>
    fields.required<number | null>(name, orNull(finite), null);
  return {
    error: value('error'),
    squaredError: value('squaredError'),
    calibration: value('calibration'),
    validationError: value('validationError'),
    spentEpsilon: value('spentEpsilon'),
    spentDelta: value('spentDelta'),
    auc: valueOrNull('auc'),
    logLoss: valueOrNull('logLoss'),
    normalisedEntropy: valueOrNull('normalisedEntropy'),
    labelError: valueOrNull('labelError'),
    noisyShare: valueOrNull('noisyShare'),
  };
};
