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
    combine([margins, prior], (own, given) => own + strength * given);
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
  const change = combine([shares(start), shares(first)], (a, b) => b - a);
  const bend = combine([shares(first), shares(second), change], (a, b, before) => b - a - before);
  const length = Math.max(norm(change) / norm(bend), 1);
  return combine([shares(start), change, bend, shares(second)], (from, by, again, to) =>
    Math.max(from + 2 * length * by + length ** 2 * again, to / 10),
  );
}

const shares = ({ classes, cells }: Margins): Margins => {
  const sources = sum(classes);
  return { classes: classes.map((value) => value / sources), cells: cells.map((value) => value / sources) };
};

const norm = ({ classes, cells }: Margins): number =>
  Math.sqrt(sum([...classes, ...cells].map((value) => value ** 2))) || Number.MIN_VALUE;

function combine(all: readonly Margins[], by: (...values: number[]) => number): Margins {
  const [first = { classes: [], cells: [] }] = all;
  return {
    classes: first.classes.map((_, index) => by(...all.map(({ classes }) => classes[index] ?? 0))),
    cells: first.cells.map((_, index) => by(...all.map(({ cells }) => cells[index] ?? 0))),
  };
}
