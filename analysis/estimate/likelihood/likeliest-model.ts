import { sum, type Counts, type Expectation, type Margins, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';

/** Under heavy noise, more steps change the estimate by much less than its error. */
const MAX_CYCLES = 200;
const LEAST_GAIN = 1e-4;

/**
 * The likeliest model for the counts, given a prior that weighs as much as `strength` sources whose truths are known. With an infinite
 * strength it is the prior.
 * @param prior margins of shares that sum to one.
 */
export function fit(
  support: Support,
  response: ResponseModel,
  counts: Counts,
  prior: Margins,
  strength: number,
): Expectation {
  let expected = support.expect(response, counts, prior);
  if (strength === Infinity) return expected;
  const improve = (margins: Margins): Expectation => support.expect(response, counts, margins);
  const maximise = ({ margins }: Expectation): Margins =>
    combine(margins, prior, (own, given) => own + strength * given);
  let start = prior;
  for (let cycle = 0; cycle < MAX_CYCLES; cycle++) {
    const before = expected.logLikelihood;
    const first = maximise(expected);
    const middle = improve(first);
    const second = maximise(middle);
    const leap = extrapolate(start, first, second);
    const far = improve(leap);
    const isBetter = far.logLikelihood >= middle.logLikelihood;
    start = isBetter ? leap : second;
    expected = isBetter ? far : improve(second);
    if (Math.abs(expected.logLikelihood - before) < LEAST_GAIN) break;
  }
  return expected;
}

/** Squared extrapolation of two steps (SQUAREM: Varadhan & Roland 2008). No number falls below a tenth of the second step's. */
function extrapolate(start: Margins, first: Margins, second: Margins): Margins {
  const [from, middle, to] = [shares(start), shares(first), shares(second)];
  const change = combine(from, middle, (a, b) => b - a);
  const bend = combine(
    combine(middle, to, (a, b) => b - a),
    change,
    (again, before) => again - before,
  );
  const length = Math.max(norm(change) / norm(bend), 1);
  const moved = combine(
    combine(from, change, (own, by) => own + 2 * length * by),
    bend,
    (own, again) => own + length ** 2 * again,
  );
  return combine(moved, to, (own, least) => Math.max(own, least / 10));
}

const shares = ({ classes, cells }: Margins): Margins => {
  const sources = sum(classes);
  return { classes: classes.map((value) => value / sources), cells: cells.map((value) => value / sources) };
};

function norm({ classes, cells }: Margins): number {
  let squares = 0;
  for (const value of classes) squares += value ** 2;
  for (const value of cells) squares += value ** 2;
  return Math.sqrt(squares) || Number.MIN_VALUE;
}

const combine = (one: Margins, other: Margins, by: (one: number, other: number) => number): Margins => ({
  classes: one.classes.map((value, place) => by(value, other.classes[place] ?? 0)),
  cells: one.cells.map((value, place) => by(value, other.cells[place] ?? 0)),
});
