import { estimatorOf } from '../analysis/estimate/unbiased/estimator-of';
import { simulated } from './simulated';
import { NO_SUMS, outcomeOf, Run, type Sums } from './trial-outcome';
import { talliesOf } from './trial-settings';
import { SETTINGS } from './trial-table';

/** Settings whose groups have equally many impressions. */
const NAMES = [
  'views, ε = 2, five of 100 groups at 50 %',
  'views, ε = 2, half of 20 groups at 0, half at 30 %',
  'views, ε = 2, everyone converts in one of two groups, nobody in the other',
  'views, ε = 2, 40 groups alike beside two that are not',
  'views, ε = 2, heavy tail over 20 groups',
  'views, ε = 2, one of 30 groups at 80 %',
  'views, ε = 1, 40 groups alike',
];

/** No prior has a greater mean log-likelihood by more. */
const GAP = 1e-3;
const MOST_STEPS = 2000;

/** By number of converting sources, from none to all. */
type Prior = readonly number[];

/** For each number of converting sources, the probability of each number of sources with a report. */
type Rows = readonly (readonly number[])[];

/**
 * What knowing all groups can gain. The RMSE by level of groups, as a multiple of that of the unbiased estimates of the same runs: of the Bayes estimate that
 * knows how many groups have which number of conversions (the oracle: Robbins 1951), of the one with the likeliest such prior (Kiefer & Wolfowitz 1956), and
 * of the latter and of the nearest possible numbers, if groups add up to the whole. The table in docs/trial-settings.md: `npm run bench -- group-mixtures 200`.
 */
export function benchGroupMixtures(runs = 40, words: readonly string[] = []): void {
  console.log(
    'Setting | Unbiased | Oracle | Likeliest prior | the same, added up | Possible numbers, added up',
  );
  for (const name of NAMES)
    if (words.every((word) => name.includes(word)))
      for (const [level, sums] of mixturesOf(name, runs)) {
        const [unbiased = NaN, ...others] = sums.map((own) => outcomeOf(own).error);
        const ratios = others.map((error) => (error / unbiased).toFixed(2));
        console.log([`${name}: ${level}`, unbiased.toPrecision(3), ...ratios].join(' | '));
      }
}

function mixturesOf(name: string, runs: number): ReadonlyMap<string, readonly Sums[]> {
  const setting = SETTINGS.find((other) => other.name === name);
  if (setting === undefined) throw new Error(`there is no setting ${name}`);
  const source = simulated(setting.type, setting.epsilon, setting.fields);
  const keep = estimatorOf(source.configuration).likelihood?.response.keep ?? NaN;
  const groups = setting.groups(source).map(({ group, truths }) => ({
    level: setting.levelOf?.(group) ?? 'groups',
    truth: truths.filter((truth) => truth !== '0').length,
    size: truths.length,
  }));
  const size = groups[0]?.size ?? 0;
  const made = ((1 - keep) * 2) / 3;
  const rows = rowsOf(size, keep + made, made);
  const known = rows.map(
    (_, truth) => groups.filter((group) => group.truth === truth).length / groups.length,
  );
  const found = new Map<string, readonly Sums[]>();
  for (let run = 0; run < runs; run++) {
    const seen = talliesOf(setting, run).map(({ tally }) => size - (tally.get('0') ?? 0));
    const unbiased = seen.map((reports) => (reports - size * made) / keep);
    const likeliest = likeliestPrior(rows, seen);
    const mixed = seen.map((reports) => posteriorMean(likeliest, rows, reports));
    const possible = unbiased.map((value) => Math.min(Math.max(value, 0), size));
    const sum = unbiased.reduce((a, b) => a + b, 0);
    const total = Math.min(Math.max(sum, 0), size * groups.length);
    const oracle = seen.map((reports) => posteriorMean(known, rows, reports));
    const all = [unbiased, oracle, mixed, addedUp(mixed, size, total), addedUp(possible, size, total)];
    for (const level of new Set(groups.map((group) => group.level))) {
      const before = found.get(level) ?? all.map(() => NO_SUMS);
      const own = all.map((estimates, kind) => {
        const sums = new Run();
        groups.forEach((group, place) => {
          if (group.level === level) sums.add(group.truth, estimates[place] ?? NaN, [NaN, NaN]);
        });
        return sums.addedTo(before[kind] ?? NO_SUMS);
      });
      found.set(level, own);
    }
  }
  return found;
}

/** @param stays the probability of a report if a source converts, and `arises` if it does not. */
export const rowsOf = (size: number, stays: number, arises: number): Rows =>
  Array.from({ length: size + 1 }, (_, truth) => {
    let shares = [1];
    for (let source = 0; source < size; source++) {
      const chance = source < truth ? stays : arises;
      shares = [...shares, 0].map((own, index) => own * (1 - chance) + (shares[index - 1] ?? 0) * chance);
    }
    return shares;
  });

/**
 * The prior under which what is seen is likeliest, by expectation maximisation.
 * @param seen by group: the number of its sources with a report.
 */
export function likeliestPrior(rows: Rows, seen: readonly number[]): Prior {
  const times = new Map<number, number>();
  for (const reports of seen) times.set(reports, (times.get(reports) ?? 0) + 1 / seen.length);
  let prior: Prior = rows.map(() => 1 / rows.length);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gains = rows.map(() => 0);
    for (const [reports, share] of times) {
      const mixed = prior.reduce((sum, weight, truth) => sum + weight * (rows[truth]?.[reports] ?? 0), 0);
      rows.forEach(
        (row, truth) => (gains[truth] = (gains[truth] ?? 0) + (share * (row[reports] ?? 0)) / mixed),
      );
    }
    // The greatest gain bounds how far the likelihood is from the greatest one.
    if (Math.max(...gains) <= 1 + GAP) break;
    prior = prior.map((weight, truth) => weight * (gains[truth] ?? 0));
  }
  return prior;
}

function posteriorMean(prior: Prior, rows: Rows, reports: number): number {
  let [all, sum] = [0, 0];
  prior.forEach((weight, truth) => {
    const own = weight * (rows[truth]?.[reports] ?? 0);
    all += own;
    sum += own * truth;
  });
  return sum / all;
}

/** With the odds of all groups multiplied by one number, so that they have this total. */
function addedUp(estimates: readonly number[], size: number, total: number): readonly number[] {
  const withOdds = (log: number): readonly number[] =>
    estimates.map((estimate) => {
      const share = Math.min(Math.max(estimate / size, 1e-9), 1 - 1e-9);
      return size / (1 + ((1 - share) / share) * Math.exp(-log));
    });
  let [low, high] = [-40, 40];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (withOdds(middle).reduce((a, b) => a + b, 0) < total) low = middle;
    else high = middle;
  }
  return withOdds(low);
}
