import { estimatorOf } from '../../../analysis/estimate/estimator-of';
import { keptByOutput, keptNear, type DrawKept } from '../../../analysis/estimate/kept-draws';
import { Support, type Counts, type Margins } from '../../../analysis/estimate/output-model';
import { seededUniform } from '../../../analysis/estimate/statistical-draws';
import { seededRandomSource } from '../../../analysis/random/sources';
import { configurationOf, drawTally, samplerOf } from '../helpers/estimates';

const click = configurationOf({}, 'navigation', 8);
const response = estimatorOf(click).likelihood?.response;
if (response === undefined) throw new Error('randomized response has a likelihood');

/** Of a million clicks, so many have one report in each cell, and as many two reports of each cell. */
function observedOf(each: number): { support: Support; observed: Counts; reference: Margins } {
  if (response === undefined) throw new Error('randomized response has a likelihood');
  const support = new Support((output) => response.composition(output));
  const states = Array.from({ length: Number(response.outputs) }, (_, state) => state);
  const alike = states.filter((state) => {
    const cells = response.composition(String(state)).lists.flat();
    return cells.length > 0 && cells.length < 3 && new Set(cells).size === 1;
  });
  const truths = new Map(alike.map((state) => [state, each]));
  truths.set(0, 1_000_000 - each * alike.length);
  const observed = support.countsOf(drawTally(samplerOf(click), truths, seededRandomSource('kept', each)));
  const known = [...truths].map(([state, count]) => [support.place(String(state)), count] as const);
  // All classes are possible.
  known.push(...observed.outputs.map((output) => [output, 2] as const));
  const reference = support.marginsOf({
    outputs: known.map(([output]) => output),
    counts: known.map(([, count]) => count),
  });
  return { support, observed, reference };
}

const flat = ({ classes, cells }: Margins): readonly number[] => [...classes, ...cells];

const DRAWS = 300;

/** Mean and covariance of all margins. */
function momentsOf(draw: DrawKept, model: Margins, seed: string): { means: number[]; covariances: number[] } {
  const uniform = seededUniform(seed, 0);
  const drawn = Array.from({ length: DRAWS }, () => {
    const margins = draw(model, uniform);
    if (margins === null) throw new Error('the model is too far');
    return flat(margins);
  });
  const places = [...(drawn[0] ?? []).keys()];
  const means = places.map((place) => drawn.reduce((sum, own) => sum + (own[place] ?? 0), 0) / DRAWS);
  const covariances = places.flatMap(() => places.map(() => 0));
  for (const own of drawn) {
    const apart = own.map((value, place) => value - (means[place] ?? NaN));
    for (const one of places)
      for (const other of places) {
        const pair = one * places.length + other;
        covariances[pair] =
          (covariances[pair] ?? 0) + ((apart[one] ?? 0) * (apart[other] ?? 0)) / (DRAWS - 1);
      }
  }
  return { means, covariances };
}

describe('draws of the margins of kept sources', () => {
  const { support, observed, reference } = observedOf(4000);
  const near = keptNear(support, response, observed, reference);
  const exact = keptByOutput(support, response, observed);

  // Shares that are 1 or 2 % more or less, so that the slope of the mean matters.
  const moved: Margins = {
    classes: reference.classes.map((count, own) => count * (own % 2 === 0 ? 0.99 : 1.01)),
    cells: reference.cells.map((count, cell) => count * (cell % 2 === 0 ? 1.02 : 0.98)),
  };

  test.each([
    ['at the reference', reference],
    ['beside it', moved],
  ])('have the mean and the covariance of draws output by output %s', (_, model) => {
    if (near === null) throw new Error('there are enough sources');
    const together = momentsOf(near, model, 'together');
    const apart = momentsOf(exact, model, 'apart');
    const size = together.means.length;
    const variance = (place: number): number => apart.covariances[place * size + place] ?? NaN;
    // In standard errors of a difference of means: false for fewer than 1e-8 of all seeds.
    together.means.forEach((mean, place) => {
      const deviation = Math.sqrt((2 * Math.max(variance(place), 1)) / DRAWS);
      expect(Math.abs(mean - (apart.means[place] ?? NaN)) / deviation).toBeLessThan(6.5);
    });
    // The standard error of a variance is 0.08 of it, and that of a difference 0.12: false for fewer than 1e-7 of all seeds.
    together.covariances.forEach((covariance, pair) => {
      const [one, other] = [Math.floor(pair / size), pair % size];
      const scale = Math.sqrt(variance(one) * variance(other));
      if (scale < 1) return;
      expect(Math.abs(covariance - (apart.covariances[pair] ?? NaN)) / scale).toBeLessThan(0.8);
    });
  });

  test('are made one by one where a model is far from the reference', () => {
    const cells = reference.cells.map((count, cell) => (cell === 0 ? count * 1.3 : count));
    expect(near?.({ ...reference, cells }, seededUniform('far', 0))).toBeNull();
  });

  test('are made one by one where whole numbers matter, or outputs are few', () => {
    const few = { ...observed, counts: observed.counts.map((count) => count / 1e4) };
    expect(keptNear(support, response, few, reference)).toBeNull();
    const some = { outputs: observed.outputs.slice(0, 500), counts: observed.counts.slice(0, 500) };
    expect(keptNear(support, response, some, reference)).toBeNull();
  });
});
