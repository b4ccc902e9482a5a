import { estimatorOf } from '../analysis/estimate/unbiased/estimator-of';
import type { OutputCounts } from '../analysis/estimate/unbiased/response-estimate';
import { seededUniform } from '../analysis/estimate/likelihood/statistical-draws';
import { seededRandomSource } from '../analysis/random/sources';
import { simulated, tallyOf } from './simulated';
import { losing } from './trial-settings';

const SOURCES = 2000;
const CONVERTING = 200;
const GROUPS = 5;
const FOUND = 0.95;

/** Shares of lost reports that are tried. */
const SHARES = [0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9];

const SOURCE_TYPES = [
  ['event', 1],
  ['event', 4],
  ['navigation', 6],
  ['navigation', 8],
  ['navigation', 10],
] as const;

/**
 * The power of the test whether losses explain the numbers of reports: the smallest tried share of lost reports that it refutes in 95 % of the runs, if
 * none is stated to be lost, in all groups or in one. The table in docs/estimates.md: `npm run bench -- fit-power 200`. Seeds are fixed.
 */
export function benchFitPower(runs = 40): void {
  for (const [type, epsilon] of SOURCE_TYPES)
    for (const [where, groups] of [
      ['all', 1],
      ['one of five groups', GROUPS],
    ] as const) {
      const found = smallestFound(type, epsilon, groups, runs);
      const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
      const text =
        found === null ? 'none' : `${percent(found.share)} (in ${percent(found.power)} of ${runs} runs)`;
      console.log([type, `ε = ${epsilon}`, where, text].join(' | '));
    }
}

function smallestFound(
  type: 'event' | 'navigation',
  epsilon: number,
  groups: number,
  runs: number,
): { readonly share: number; readonly power: number } | null {
  const source = simulated(type, epsilon);
  const estimator = estimatorOf(source.configuration);
  const lose = losing(source);
  const size = SOURCES / groups;
  const truths = Array.from({ length: size }, (_, index) =>
    index < CONVERTING / groups ? source.stateOf(index % 2, [0]) : '0',
  );
  const isFound = (share: number, run: number): boolean => {
    const random = seededRandomSource('power', run);
    const uniform = seededUniform('power', run);
    const tallies = Array.from({ length: groups }, (_, group): OutputCounts => {
      const sent = tallyOf(source, truths, random);
      if (group > 0) return sent;
      const arrived = new Map<string, number>();
      for (const [output, count] of sent)
        for (let one = 0; one < count; one++) {
          const rest = lose(output, share, uniform);
          arrived.set(rest, (arrived.get(rest) ?? 0) + 1);
        }
      return arrived;
    });
    return estimator.allowLosses?.(tallies, { rate: 0, range: [0, 0], from: 'given' }) === false;
  };
  for (const share of SHARES) {
    const power = Array.from({ length: runs }, (_, run) => isFound(share, run)).filter(Boolean).length / runs;
    if (power >= FOUND) return { share, power };
  }
  return null;
}
