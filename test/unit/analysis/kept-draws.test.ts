import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { fit } from '../../../analysis/estimate/likelihood/likeliest-model';
import { keptByOutput, keptNear, type DrawKept } from '../../../analysis/estimate/likelihood/kept-draws';
import { keptRarely } from '../../../analysis/estimate/likelihood/rare-draws';
import { Support, type Counts, type Margins } from '../../../analysis/estimate/likelihood/output-model';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
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

/** Of these sources, so many have each truth from 1 to 250, and the others have none. */
function groupOf(
  sources: number,
  each: number,
  epsilon: number,
): {
  exact: DrawKept;
  rare: DrawKept | null;
  rareUnder: (reference: Margins) => DrawKept | null;
  model: Margins;
} {
  const { likelihood } = estimatorOf(configurationOf({}, 'navigation', epsilon));
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  const support = new Support((output) => likelihood.response.composition(output));
  const truths = new Map(Array.from({ length: 250 }, (_, truth) => [truth + 1, each]));
  truths.set(0, sources - 250 * each);
  const sampler = samplerOf(configurationOf({}, 'navigation', epsilon));
  const observed = support.countsOf(drawTally(sampler, truths, seededRandomSource('rare', epsilon)));
  const vague = support.even();
  const { margins } = fit(support, likelihood.response, observed, vague, 0);
  const model = {
    classes: margins.classes.map((count, own) => count + (vague.classes[own] ?? 0)),
    cells: margins.cells.map((count, cell) => count + (vague.cells[cell] ?? 0)),
  };
  const rareUnder = (reference: Margins): DrawKept | null =>
    keptRarely(support, likelihood.response, observed, reference);
  return {
    exact: keptByOutput(support, likelihood.response, observed),
    rare: rareUnder(model),
    rareUnder,
    model,
  };
}

describe.each([
  ['replaced', 6000, 4, 14],
  ['kept', 1200, 0, 8],
] as const)('draws of the sources that were rarely %s', (_, sources, each, epsilon) => {
  const { exact, rare, model } = groupOf(sources, each, epsilon);

  // All cells' shares change, and single ones by half: points then need greater hazards, or are no longer worth it.
  const moved: Margins = {
    classes: model.classes.map((count, own) => count * (own % 2 === 0 ? 0.9 : 1.2)),
    cells: model.cells.map((count, cell) => count * (cell % 3 === 0 ? 1.5 : cell % 3 === 1 ? 0.8 : 1)),
  };

  test.each([
    ['at the reference', model],
    ['beside it', moved],
  ])('have the mean and the variance of draws output by output %s', (__, own) => {
    if (rare === null) throw new Error('points must pay');
    const points = momentsOf(rare, own, 'points');
    const each = momentsOf(exact, own, 'each');
    const size = each.means.length;
    for (const [place, mean] of each.means.entries()) {
      const [one, other] = [points, each].map(({ covariances }) => covariances[place * size + place] ?? NaN);
      const variance = Math.max(one ?? NaN, other ?? NaN, 0.1);
      // False for fewer than 1e-8 of all seeds, if the mean is normal; where few sources are uncertain, the least variance makes it so.
      expect(Math.abs(mean - (points.means[place] ?? NaN))).toBeLessThan(
        6.5 * Math.sqrt((2 * variance) / DRAWS),
      );
      expect(Math.abs((one ?? NaN) - (other ?? NaN))).toBeLessThan(0.9 * variance);
    }
  });
});

test('no source is kept of a class that the reference and the model rule out', () => {
  const { model, rareUnder } = groupOf(6000, 4, 14);
  const without = { ...model, classes: model.classes.map((count, own) => (own === 3 ? 0 : count)) };
  const draw = rareUnder(without);
  if (draw === null) throw new Error('points must pay');
  const drawn = draw(without, seededUniform('none', 0));
  expect(drawn?.classes[3]).toBe(0);
  expect(drawn?.classes[0]).toBeGreaterThan(0);
});

test('draws output by output are kept where most outputs are uncertain', () => {
  expect(groupOf(2000, 8, 8).rare).toBeNull();
});

/** False for fewer than 1e-8 of all seeds, for each number of kept sources. */
const DEVIATIONS = 5.9;
const MANY_DRAWS = 100_000;

// Three sources have one output, and 50 others an output each that decides almost surely. Two points may meet the same source.
describe.each([
  ['kept', 1e-3],
  ['replaced', 1e3],
] as const)('of three sources with one output and the odds 1, beside outputs rarely %s', (event, odds) => {
  const others = Array.from({ length: 50 }, (_, number) => `other ${number}`);
  const support = new Support((output) => ({
    kind: output === 'none' ? 'none' : 'one',
    reports: output === 'none' ? 0 : 1,
    isPossible: true,
    lists: [output === 'none' ? [] : [output]],
  }));
  const observed = support.countsOf(new Map([['three', 3], ...others.map((name) => [name, 1] as const)]));
  support.place('none');
  const cells = support.cellNames.map((name) => (name === 'three' ? 1 : odds));
  const whole = 1 + others.length * odds;
  /** @param share of the sources that have a report. */
  const modelOf = (share: number): Margins => ({
    classes: support.examples.map((example) => (example === 'none' ? 1 - share : share)),
    cells: cells.map((cell) => (cell * share) / whole),
  });
  // A quarter or three quarters of the sources have a report, so the odds under the reference are three times as great, or a third.
  const [share, ofReference] = event === 'kept' ? [0.25, 0.75] : [0.75, 0.25];
  const scale = whole / share;
  const outputs = BigInt(others.length + 2);
  const keep = scale / (scale + Number(outputs));

  test.each([
    ['the reference', share],
    ['another reference', ofReference],
  ])('as many are kept as a binomial distribution says, from points of %s', (name, reference) => {
    const draw = keptRarely(support, { ...response, keep, outputs }, observed, modelOf(reference));
    if (draw === null) throw new Error('points must pay');
    const three = support.cellNames.indexOf('three');
    const uniform = seededUniform(`three ${event} ${name}`, 0);
    const model = modelOf(share);
    const times = new Map<number, number>();
    for (let number = 0; number < MANY_DRAWS; number++) {
      const kept = draw(model, uniform)?.cells[three] ?? NaN;
      times.set(kept, (times.get(kept) ?? 0) + 1);
    }
    expect([...times.keys()].sort((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    [1 / 8, 3 / 8, 3 / 8, 1 / 8].forEach((probability, kept) => {
      const deviation = Math.sqrt(MANY_DRAWS * probability * (1 - probability));
      expect(Math.abs((times.get(kept) ?? 0) - MANY_DRAWS * probability)).toBeLessThan(
        DEVIATIONS * deviation,
      );
    });
  });
});
