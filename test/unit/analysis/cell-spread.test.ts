import { cellSpreadOf } from '../../../analysis/estimate/likelihood/cell-spread';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { spreadOf, type Part, type PartSpread } from '../../../analysis/estimate/likelihood/group-spread';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { partLikenesses } from '../../../analysis/estimate/likelihood/strength-posterior';
import { configurationOf } from '../helpers/estimates';

const response = estimatorOf(configurationOf({}, 'navigation', 14)).likelihood?.response;
if (response === undefined) throw new Error('randomized response has a likelihood');
const support = new Support((output) => response.composition(output));
const none = '0';
/** One report each, in different cells. */
const single = Array.from({ length: Number(response.outputs) }, (_, state) => String(state))
  .filter((state) => response.composition(state).lists.flat().length === 1)
  .slice(0, 8);

const partOf = (name: string, tally: ReadonlyMap<string, number>): Part => ({
  group: [name],
  counts: support.countsOf(tally),
  sources: [...tally.values()].reduce((a, b) => a + b, 0),
});

/** What these groups have together, by output. */
function sharesOf(parts: readonly Part[]): readonly number[] {
  const shares = support.outputs.map(() => 0);
  const sources = parts.reduce((sum, part) => sum + part.sources, 0);
  for (const { counts } of parts)
    counts.outputs.forEach((output, index) => {
      shares[output] = (shares[output] ?? 0) + (counts.counts[index] ?? 0) / sources;
    });
  return shares;
}

const spreadOfCells = (parts: readonly Part[]): readonly PartSpread[] =>
  cellSpreadOf(support, response, parts, sharesOf(parts));

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const distances = (spread: readonly PartSpread[]): number =>
  total(spread.flatMap(({ distances }) => distances));

test('groups with different numbers of reports in equal shares differ in their numbers alone', () => {
  const parts = [1, 2, 4, 8].map((each) =>
    partOf(`${each}`, new Map([[none, 100 - 8 * each], ...single.map((state) => [state, each] as const)])),
  );
  expect(distances(spreadOfCells(parts))).toBeLessThan(1e-9);
  const ofClasses = spreadOf(support, response, parts, sharesOf(parts), 'classes');
  const chance = total(ofClasses.map(({ chance, distances }) => chance * distances.length));
  expect(distances(ofClasses)).toBeGreaterThan(5 * chance);
});

test('groups that each convert in one cell are as far from each other as there is room', () => {
  const parts = Array.from({ length: 80 }, (_, index) =>
    partOf(
      `${index}`,
      new Map([
        [none, 90],
        [single[index % single.length] ?? none, 10],
      ]),
    ),
  );
  const spread = spreadOfCells(parts);
  const room = total(spread.map((part) => part.room));
  // Each group is a part of the mean from which its distance counts.
  expect((distances(spread) / room) * (1 - 1 / parts.length)).toBeCloseTo(1, 2);
  // A multinomial distribution over eight cells has seven degrees of freedom.
  expect(spread[0]?.independent).toBeCloseTo(single.length - 1, 2);
});

test('a group without reports shows nothing, and one that is all there is has no others', () => {
  const full = new Map([[none, 90], ...single.map((state) => [state, 2] as const)]);
  const [empty] = spreadOfCells([partOf('empty', new Map([[none, 100]])), partOf('full', full)]);
  expect(empty).toMatchObject({ chance: 1, room: 0, wide: 0 });
  expect(new Set(empty?.distances)).toEqual(new Set([1]));
  expect(spreadOfCells([partOf('full', full)])).toMatchObject([{ chance: 0 }]);
});

test('a larger group whose reports are all in one cell says nothing of the others', () => {
  const rich = Array.from({ length: 10 }, (_, index) =>
    partOf(
      `${index}`,
      new Map([[none, 900], ...single.map((state, at) => [state, 10 + ((at * 3 + index) % 5)] as const)]),
    ),
  );
  const poor = [1, 2, 3].map((count) =>
    partOf(
      `poor ${count}`,
      new Map([
        [none, 100 - count],
        [single[0] ?? none, count],
      ]),
    ),
  );
  const [alone] = partLikenesses([spreadOfCells(rich)]);
  const [beside, ofPoor] = partLikenesses([spreadOfCells(rich), spreadOfCells(poor)]);
  for (const { strengths, apart } of [...(beside ?? []), ...(ofPoor ?? [])]) {
    expect(apart).not.toBeNaN();
    expect(strengths.upTo).not.toContain(NaN);
    expect(strengths.upTo.at(-1)).toBeCloseTo(1, 9);
  }
  beside?.forEach(({ strengths }, part) =>
    strengths.upTo.forEach((chance, at) =>
      expect(chance).toBeCloseTo(alone?.[part]?.strengths.upTo[at] ?? NaN, 9),
    ),
  );
});
