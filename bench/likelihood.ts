import { availableParallelism } from 'node:os';
import { analyse, type Analysis, type AnalysisOptions } from '../analysis/estimate/result/analysis';
import { estimatorOf } from '../analysis/estimate/unbiased/estimator-of';
import { registeredConfiguration } from '../analysis/estimate/quantities/registered-configuration';
import type { ResponseModel } from '../analysis/estimate/quantities/response-model';
import {
  binomial,
  multinomial,
  seededUniform,
  type Uniform,
} from '../analysis/estimate/likelihood/statistical-draws';
import { analysesInThreads } from '../cli/estimate/threads';

/*
 * How long estimates by maximum likelihood take from the kept counts of ten million reports, whose noise makes each output of each group: more
 * counts than copies of a small month have. Sources without a report are the more, the fewer convert. `npm run bench -- likelihood 10000000 groups` takes
 * only the settings whose names have the word.
 */

const REPORTS = 10_000_000;
/** Of processor time, in seconds, after the first time. */
const LIMIT = 1;
/** Of time with a thread for each processor, in seconds, for 10,000 groups. */
const GROUPS_LIMIT = 60;
const MANY_GROUPS = 1000;
/** Of the sources with so many reports. */
const SHARES = [0.9, 0.06, 0.03, 0.01];

const SETTINGS = [
  ['views', 'event', 8, 0, 8, LIMIT],
  ['clicks that convert as the model says', 'navigation', 14, 0, 8, LIMIT],
  ['clicks whose conversions depend on each other', 'navigation', 14, 1, 8, LIMIT],
  ['views of 250 groups', 'event', 1, 0, 250, null],
  ['views of 10,000 groups', 'event', 1, 0, 10_000, GROUPS_LIMIT],
  ['clicks of 10,000 groups', 'navigation', 14, 0, 10_000, GROUPS_LIMIT],
] as const;

export async function benchLikelihood(reports = REPORTS, words: readonly string[] = []): Promise<void> {
  for (const [name, type, epsilon, spread, size, limit] of SETTINGS) {
    if (!words.every((word) => name.includes(word))) continue;
    const sources = Math.round(
      reports / (size * SHARES.reduce((sum, share, count) => sum + share * count, 0)),
    );
    const configuration = registeredConfiguration(type, epsilon, {});
    const response = estimatorOf(configuration).likelihood?.response;
    if (response === undefined) throw new Error('randomized response has a likelihood');
    const uniform = seededUniform('bench', 0);
    const draw = drawing(response, sources, spread);
    const groups = Array.from({ length: size }, (_, group) => ({
      group: [String(group)],
      tally: draw(uniform),
    }));
    const counts = groups.reduce((sum, { tally }) => sum + tally.size, 0);
    const said = `${name}: ${size * sources} sources in ${size} groups, ${counts} counts`;
    const most = limit === null ? '' : ` (limit: ${limit} s)`;
    if (size > MANY_GROUPS) {
      const [start, before] = [performance.now(), process.cpuUsage()];
      const tally = { given: null, name, configuration, groups };
      const found = await analysesInThreads([tally], OPTIONS, false, availableParallelism());
      const took = (performance.now() - start) / 1000;
      const { user, system } = process.cpuUsage(before);
      console.log(
        `${said}: ${took.toFixed(1)} s in ${availableParallelism()} threads${most}, ${((user + system) / 1e6).toFixed(1)} s of processor time; the model ${fitOf(found[0]?.analysis)}`,
      );
      continue;
    }
    const runs = [false, true, true].map((likelihood) => {
      const before = process.cpuUsage();
      const analysis = analyse({ configuration, groups }, { ...OPTIONS, likelihood });
      const { user, system } = process.cpuUsage(before);
      return { took: (user + system) / 1e6, analysis };
    });
    const [without = NaN, first = NaN, again = NaN] = runs.map(({ took }) => took);
    console.log(
      `${said}: ${again.toFixed(2)} s of processor time${most}, the first time ${first.toFixed(2)} s, without the likelihood ${without.toFixed(2)} s; the model ${fitOf(runs.at(-1)?.analysis)}`,
    );
  }
}

const OPTIONS: AnalysisOptions = {
  level: 0.95,
  randomness: 'noise-and-sampling',
  likelihood: true,
  singles: false,
};

const fitOf = (analysis: Analysis | undefined): string => (analysis?.fits === true ? 'fits' : 'does not fit');

/**
 * Draws what so many sources report.
 * @param spread how much more often all reports of a source fall into one cell.
 */
function drawing(
  response: ResponseModel,
  sources: number,
  spread: number,
): (uniform: Uniform) => ReadonlyMap<string, number> {
  const outputs = Array.from({ length: Number(response.outputs) }, (_, number) =>
    response.outputAt(BigInt(number)),
  );
  const cells = outputs.map((output) => response.composition(output).lists.flat());
  const alike = new Map<number, number>();
  const weights = cells.map((own) => {
    const weight = ordersOf(own) * (new Set(own).size <= 1 ? 1 + spread : 1);
    alike.set(own.length, (alike.get(own.length) ?? 0) + weight);
    return weight;
  });
  const shares = cells.map(
    (own, output) => ((SHARES[own.length] ?? 0) * (weights[output] ?? 0)) / (alike.get(own.length) ?? 1),
  );
  const even = outputs.map(() => 1);
  return (uniform) => {
    const truths = multinomial(uniform, sources, shares);
    const kept = truths.map((count) => binomial(uniform, count, response.keep));
    const replaced = truths.reduce((sum, count, output) => sum + count - (kept[output] ?? 0), 0);
    const noise = multinomial(uniform, replaced, even);
    return new Map(
      outputs.flatMap((output, number) => {
        const count = (kept[number] ?? 0) + (noise[number] ?? 0);
        return count === 0 ? [] : [[output, count] as const];
      }),
    );
  };
}

/** In how many orders reports can fall into these cells. */
function ordersOf(cells: readonly string[]): number {
  const repeats = new Map<string, number>();
  return cells.reduce((orders, cell, index) => {
    const repeat = (repeats.get(cell) ?? 0) + 1;
    repeats.set(cell, repeat);
    return (orders * (index + 1)) / repeat;
  }, 1);
}
