import { dot, factorise, zeros, type Vector } from '../../../numeric/vectors';
import { sum, type Counts, type Margins, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';
import { binomial, drawNormals, type Uniform } from './statistical-draws';

/** Draws the margins of the sources that were not replaced, given a model; null if it cannot for that model. */
export type DrawKept = (model: Margins, uniform: Uniform) => Margins | null;

/** Output by output. */
export const keptByOutput =
  (support: Support, response: ResponseModel, observed: Counts): DrawKept =>
  (model, uniform) =>
    support.drawKept(response, observed, model, (trials, chance) => binomial(uniform, trials, chance));

/** The logarithms of a model's shares may differ by so much from those of the reference. The mean of a draw is wrong by a part of the square. */
const MOST_APART = 0.1;
/** With a smaller variance of the number of kept sources, whole numbers matter. */
const LEAST_VARIANCE = 100;
/** Margins depend on each other. With this part more of its variance, none follows from the others. */
const RIDGE = 1e-9;

/**
 * Draws all margins at once as normal numbers, because each is a sum over many outputs. Whether a source was kept is a logistic function of its
 * output's log-probability, which is a sum of log-shares. So one matrix is both the covariance of the margins and the slope of their mean.
 * @param reference a likely model
 * @returns null if output by output is as fast, or if too few sources are uncertain.
 */
export function keptNear(
  support: Support,
  response: ResponseModel,
  observed: Counts,
  reference: Margins,
): DrawKept | null {
  const [classes, cells] = [reference.classes.length, reference.cells.length];
  const margins = classes + cells;
  if (margins ** 2 > observed.outputs.length) return null;
  const { kept, margins: means } = support.expect(response, observed, reference);
  const covariance = Array.from({ length: margins }, () => zeros(margins));
  let variance = 0;
  observed.outputs.forEach((output, index) => {
    const own = kept.counts[index] ?? 0;
    const varies = own * (1 - own / (observed.counts[index] ?? 1));
    variance += varies;
    const places = [
      support.classOf[output] ?? 0,
      ...(support.cellsOf[output] ?? []).map((cell) => classes + cell),
    ];
    for (const one of places) {
      const line = covariance[one] ?? zeros(margins);
      for (const other of places) line[other] = (line[other] ?? 0) + varies;
    }
  });
  if (variance < LEAST_VARIANCE) return null;
  const factor = covariance.map((line, place) => {
    const own = line.slice(0, place + 1);
    own[place] = (own[place] ?? 0) * (1 + RIDGE) + RIDGE;
    return own;
  });
  if (!factorise(factor)) return null;
  const from = logShares(support, reference);
  const mean = [...means.classes, ...means.cells];
  const noise = zeros(margins);
  return (model, uniform) => {
    const apart = logShares(support, model);
    for (let place = 0; place < margins; place++) {
      const own = (apart[place] ?? NaN) - (from[place] ?? NaN);
      if (!(Math.abs(own) <= MOST_APART)) return null;
      apart[place] = own;
    }
    drawNormals(uniform, noise);
    const drawn = (place: number): number => {
      const [line = noise, own = noise] = [covariance[place], factor[place]];
      return (mean[place] ?? NaN) + dot(line, apart) + dot(own, noise, place + 1);
    };
    const kept = {
      classes: reference.classes.map((_, own) => drawn(own)),
      cells: reference.cells.map((_, cell) => drawn(classes + cell)),
    };
    return kept.classes.every(isPossible) && kept.cells.every(isPossible) ? kept : null;
  };
}

const isPossible = (count: number): boolean => count >= 0;

/** Of the classes, and of each cell in its list. */
function logShares(support: Support, { classes, cells }: Margins): Vector {
  const all = sum(classes);
  const shares = support.sharesOfLists(cells);
  const logs = zeros(classes.length + cells.length);
  for (let own = 0; own < classes.length; own++) logs[own] = Math.log((classes[own] ?? 0) / all);
  for (let cell = 0; cell < cells.length; cell++) logs[classes.length + cell] = Math.log(shares[cell] ?? 0);
  return logs;
}
