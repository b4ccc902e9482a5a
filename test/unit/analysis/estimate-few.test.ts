import { analyse, type Analysis } from '../../../analysis/estimate/result/analysis';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import { tilted } from '../../../analysis/estimate/intervals/likely-truths';
import type { LikelyEstimate } from '../../../analysis/estimate/likelihood/likelihood';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated } from '../../../bench/simulated';
import { measured, measuredRuns } from '../../../bench/trial-settings';
import { SETTINGS } from '../../../bench/trial-table';
import { binomialProbabilities } from '../helpers/coverage';
import { isLong, itInSoak } from '../helpers/is-long';

/** Of groups in each of which the first `converting` of `sources` impressions or clicks convert. */
function analysed(
  sourceType: 'event' | 'navigation',
  epsilon: number,
  groups: number,
  sources: number,
  converting: number,
  run: number,
): Analysis {
  const simulation = simulated(sourceType, epsilon);
  const random = seededRandomSource(`cov${epsilon}${groups}${sources}${converting}`, run);
  const tallies = Array.from({ length: groups }, (_, group) => {
    const tally = new Map<string, number>();
    for (let source = 0; source < sources; source++) {
      const response = simulation.respond(random);
      const output = response.kind === 'replaced' ? String(response.state) : source < converting ? '1' : '0';
      tally.set(output, (tally.get(output) ?? 0) + 1);
    }
    return { group: [`g${group}`], tally };
  });
  return analyse(
    { configuration: simulation.configuration, groups: tallies },
    { level: 0.95, randomness: 'noise', likelihood: true, singles: false },
  );
}

const likely = ({ groups }: Pick<Analysis, 'groups'>): readonly LikelyEstimate[] =>
  groups.flatMap(({ estimates }) =>
    estimates.flatMap(({ quantity, likelihood }) =>
      quantity.kind === 'conversions' && likelihood !== null ? [likelihood] : [],
    ),
  );

test.each([
  ['navigation', 1, 20, 1],
  ['navigation', 3, 1, 50],
  ['event', 0.2, 1, 10],
] as const)('estimates of few sources are numbers: %s, ε = %s, %s × %s', (type, epsilon, groups, sources) => {
  for (let run = 0; run < (isLong ? 3 : 1); run++)
    for (const { estimate, interval } of likely(analysed(type, epsilon, groups, sources, 0, run))) {
      expect(estimate).not.toBeNaN();
      expect(interval[0]).toBeLessThanOrEqual(estimate);
      expect(interval[1]).toBeGreaterThanOrEqual(estimate);
    }
});

/*
 * Of 60 exact 95 % intervals, more than 14 miss with a probability of 2e-7, and of 180 more than 26 with 4e-7. With truths tilted to the mean of both
 * totals, often 0, those of 46 of 177 groups missed.
 */
itInSoak('groups with few conversions are as unsure as without the unbiased total', () => {
  const [runs, most] = isLong ? [60, 26] : [20, 14];
  const held = Array.from({ length: runs }, (_, run) => analysed('event', 2, 3, 400, 3, run)).flatMap(
    ({ groups }) =>
      likely({ groups: groups.slice(1) }).map(({ interval: [low, high] }) => low <= 3 && 3 <= high),
  );
  expect(held.length).toBeGreaterThan(2.8 * runs);
  expect(held.filter((holds) => !holds).length).toBeLessThanOrEqual(most);
});

/* Of 20 exact 95 % intervals, more than 8 miss with a probability of 2e-7. With the delays alone, four in five missed. */
test('delays explain no more missing reports than are under way', () => {
  const late = SETTINGS.find(({ name }) => name === 'views, ε = 1, 9 % of reports still under way');
  if (late === undefined) throw new Error('the setting has another name');
  const [row] = measured({ ...late, lost: 0.2, log: { reused: 0, delayed: 0.1 } }, 20);
  expect(row?.unbiased.shown).toBe(20);
  expect(row?.unbiased.held).toBeGreaterThanOrEqual(12);
});

/*
 * The error is 75 in the first 12 runs, and 1.2 times as large with delays refused where the reports show fewer missing. Only fixed seeds can tell
 * these: of other seeds, more than one in four exceed 80.
 */
itInSoak('delays count if the reports show no more missing than are under way', () => {
  const late = SETTINGS.find(({ name }) => name === 'clicks, ε = 8, 9 % of reports still under way');
  if (late === undefined) throw new Error('the setting has another name');
  const [runs, most] = isLong ? [40, 70] : [12, 80];
  const [row] = measured(late, runs);
  expect(row?.unbiased.error).toBeLessThan(most);
});

/*
 * The intervals of both runs began above the truth, as those of 11 of 80 did, when they had only the likelihood's end. Of these seeds, exact 95 %
 * intervals would fail one in ten; the intervals are longer (docs/trial-settings.md). Of 40, more than 4 miss with a probability of 5 %.
 */
itInSoak('intervals of values hold the truth where several kinds of truth have none', () => {
  const flexible = SETTINGS.find(
    ({ name }) => name === 'flexible, ε = 6, windows do not depend on each other',
  );
  if (flexible === undefined) throw new Error('the setting has another name');
  const [first, end, least] = isLong ? [0, 40, 36] : [7, 9, 2];
  const { held } = measuredRuns(flexible, first, end).get('level 0, value')?.likeliest ?? {};
  expect(held).toBeGreaterThanOrEqual(least);
});

/* Each number of reports is listed, with its probability. */
test('if people are drawn and all convert, an interval that should hold them all does', () => {
  const { configuration } = simulated('event', 2);
  const { keep } = responseRates(3, configuration.epsilon);
  let missed = 0;
  binomialProbabilities(50, keep + ((1 - keep) * 2) / 3).forEach((chance, reports) => {
    if (chance < 1e-3) return;
    const tally = new Map([
      ['0', 50 - reports],
      ['1', Math.ceil(reports / 2)],
      ['2', Math.floor(reports / 2)],
    ]);
    const { groups } = analyse(
      { configuration, groups: [{ group: [], tally }] },
      { level: 0.95, randomness: 'noise-and-sampling', likelihood: true, singles: false },
    );
    const most = groups[0]?.estimates.find(({ quantity }) => quantity.kind === 'conversions')?.likelihood;
    if (most != null && most.interval[1] < 50 - 1e-9) missed += chance;
  });
  // When the draws were of people like them only, 7.9 %.
  expect(missed).toBeLessThan(0.05);
});

test('a value without a share gets none by tilting, however far it is from the others', () => {
  const shares = tilted([0.5, 0.5, 0], [0, 1, 100], 0.9999999);
  expect(shares[1]).toBeCloseTo(0.9999999, 12);
  expect(shares[2]).toBe(0);
});
