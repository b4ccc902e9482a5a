import type { SourceRegistration } from '../../../src/model/registration';
import { epsilon } from '../../../src/model/units';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { countStates } from '../../../src/states/report-space';
import { shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { cellMoments, standardErrorOfCell, type CellMoments } from './cell-moments';
import { check, turn, type Draft } from './workbench';
import { greatest } from '../../../numeric/extremes';

/** The sources whose reports are counted. */
export interface Campaign {
  readonly sources: number;
  /** Of the sources, those with a report in the cell; from 0 to 1. */
  readonly share: number;
}

/** Cells with the same moments: all windows of some trigger data. */
interface Cells {
  readonly triggerData: readonly number[];
  readonly windows: number;
  readonly moments: CellMoments;
}

function cellsOf(source: SourceRegistration): readonly Cells[] {
  const shape = shapeOf(source);
  const seen = new Map<string, { triggerData: number[]; windows: number; moments: CellMoments }>();
  triggerDataOf(source).forEach(({ triggerData }, position) => {
    const entry = shape.triggerData[position];
    if (entry === undefined) return;
    const key = `${entry.windows} ${entry.maxReports}`;
    const known = seen.get(key);
    if (known !== undefined) return void known.triggerData.push(triggerData);
    const moments = cellMoments(shape, position);
    seen.set(key, { triggerData: [triggerData], windows: entry.windows, moments });
  });
  return [...seen.values()];
}

/** The standard error of a cell's estimated count. */
export interface CellError extends Cells {
  readonly error: number;
}

export function cellErrors(source: SourceRegistration, { sources, share }: Campaign): readonly CellError[] {
  const rate = randomizedTriggerRate(countStates(shapeOf(source)), source.eventLevelEpsilon);
  return cellsOf(source).map((cells) => ({
    ...cells,
    error: standardErrorOfCell(cells.moments, rate, sources, sources * share),
  }));
}

/** The largest standard error of any cell; null for a source without trigger data. */
export const worstError = (source: SourceRegistration, campaign: Campaign): number | null =>
  cellErrors(source, campaign).reduce<number | null>((most, { error }) => Math.max(most ?? 0, error), null);

/** x, and the largest standard error of any cell there. */
export type CurvePoint = readonly [x: number, error: number];

const EPSILONS = Array.from({ length: 28 }, (_, index) => (index + 1) / 2);

/** The error with each ε that can be set, in steps of a half. */
export function errorByEpsilon(
  source: SourceRegistration,
  { sources, share }: Campaign,
): readonly CurvePoint[] {
  const states = countStates(shapeOf(source));
  const cells = cellsOf(source);
  return EPSILONS.map((of) => {
    const rate = randomizedTriggerRate(states, epsilon(of));
    const errors = cells.map(({ moments }) => standardErrorOfCell(moments, rate, sources, sources * share));
    return [of, greatest(errors)];
  });
}

/** The error with one to five report windows. */
export const errorByWindows = (
  draft: Draft,
  source: SourceRegistration,
  campaign: Campaign,
): readonly CurvePoint[] =>
  [1, 2, 3, 4, 5].flatMap((windows) => {
    const turned = check(turn(draft, 'windows', windows, source)).source;
    const error = turned === null ? null : worstError(turned, campaign);
    return error === null ? [] : [[windows, error] as const];
  });
