import type { Cell } from './grid';

/**
 * What a run is for. `truth`: neither noise nor a privacy budget. `credit`: as configured, but outputs of sources are without noise.
 * `noisy`: as configured.
 */
export type RunKind = 'truth' | 'credit' | 'noisy';

export interface Run {
  readonly cell: number;
  readonly kind: RunKind;
  /** Decides the randomness, the same in all cells. */
  readonly repetition: number;
}

/**
 * All runs of an experiment. Truth and credit are run once for each cell; credit as often as noisy runs, if an attribution draws.
 * @param drawsCredit whether the attribution of a cell is random.
 */
export const runsOf = (
  cells: readonly Cell[],
  repetitions: number,
  drawsCredit: (cell: number) => boolean,
): readonly Run[] =>
  cells.flatMap((_, cell) => [
    { cell, kind: 'truth', repetition: 0 },
    ...repeated(cell, 'credit', drawsCredit(cell) ? repetitions : 1),
    ...repeated(cell, 'noisy', repetitions),
  ]);

const repeated = (cell: number, kind: RunKind, times: number): Run[] =>
  Array.from({ length: times }, (_, repetition) => ({ cell, kind, repetition }));
