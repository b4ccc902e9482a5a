/** The parts of an output, for the model of the likelihood. */
export interface Composition {
  /** Outputs of different kinds have nothing in common. */
  readonly kind: string;
  /** How many reports it has. */
  readonly reports: number;
  /** False if no source has it as its truth, so that noise alone gives it. */
  readonly isPossible: boolean;
  /** The cells of its reports, of which one cell may have several. Cells of one list share one distribution. */
  readonly lists: readonly (readonly string[])[];
}

/** Randomized response, as the likelihood of its outputs sees it. */
export interface ResponseModel {
  /** The probability that the output is the truth rather than a draw from all outputs. */
  readonly keep: number;
  /** k, the number of outputs. */
  readonly outputs: bigint;
  /** The output with this number. @param number from 0 to k − 1. */
  outputAt(number: bigint): string;
  /** What an output is made of. */
  composition(output: string): Composition;
  /** The same if all reports of a trigger data are in one window; missing if the model has no number of reports for each trigger data. */
  readonly sharing?: (output: string) => Composition;
}

/** Outputs that have nothing in common. */
export const listedOutputs = (
  outputs: readonly string[],
): Pick<ResponseModel, 'outputs' | 'outputAt' | 'composition'> => ({
  outputs: BigInt(outputs.length),
  outputAt: (number) => outputs[Number(number)] ?? '',
  composition: (output) => ({ kind: output, reports: 0, isPossible: true, lists: [] }),
});
