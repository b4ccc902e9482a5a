import type { OnRound } from '../../numeric/output-grid';
import { say } from './terminal';

/** A solver that is done sooner says nothing while it works. */
const QUIET_MILLISECONDS = 2000;

/** Tells the rounds of the unbiased randomizer's solver, which leaves timers no time. @param command that waits for it */
export function solverProgress(command: string): OnRound {
  const start = performance.now();
  return ({ round, outputs, gap }) => {
    if (performance.now() - start >= QUIET_MILLISECONDS)
      say(
        `${command}: unbiased randomizer: round ${round}, ${outputs} outputs, the gap is ${percent(gap)} of the variance`,
      );
  };
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

/** The variance of a randomizer, and how far at most it is above the least possible. */
export const gapText = (variance: number, gap: number): string =>
  `variance ${Number(variance.toPrecision(4))}, certified to be at most ${percent(variance === 0 ? 0 : gap / variance)} above the least possible`;
