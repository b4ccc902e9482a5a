import type { SolverRound } from '../../analysis/learn/value-noise';
import type { OnRound } from '../../numeric/output-grid';
import { say } from './terminal';

/** A solver that is done sooner says nothing while it works. */
const QUIET_MILLISECONDS = 2000;

/**
 * Tells the rounds of the unbiased randomizer's solver, which leaves timers no time.
 * @param waiting the command that waits for it, and for what
 */
export function solverProgress(waiting: string, tell: (text: string) => void = say): OnRound {
  const start = performance.now();
  return ({ round, outputs, gap }) => {
    if (performance.now() - start >= QUIET_MILLISECONDS)
      tell(`${waiting}: round ${round}, ${outputs} outputs, the gap is ${percent(gap)} of the variance`);
  };
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

/** The variance of a randomizer, and how far at most it is above the least possible. */
export const gapText = (variance: number, gap: number): string =>
  `variance ${Number(variance.toPrecision(4))}, certified to be at most ${percent(variance === 0 ? 0 : gap / variance)} above the least possible`;

/** What a thread reports about its searches: texts immediately, and at the end of each search its randomizer and its gap. */
export type SearchMessage = string | { readonly of: string; readonly gap: number };

/** Follows the searches of a thread. @param post to the thread that can write */
export class SearchFollower {
  private progress: OnRound | null = null;
  private last: SolverRound | null = null;

  constructor(
    private readonly command: string,
    private readonly post: (message: SearchMessage) => void,
  ) {}

  readonly add = (found: SolverRound): void => {
    if (found.round === 1) this.end();
    this.progress ??= solverProgress(`${this.command}: ${nameOf(found)}`, this.post);
    this.progress(found);
    this.last = found;
  };

  /** After the last round of a search. */
  end(): void {
    if (this.last !== null) this.post({ of: nameOf(this.last), gap: this.last.gap });
    this.progress = null;
    this.last = null;
  }
}

const nameOf = ({ values, epsilon }: SolverRound): string =>
  `the unbiased randomizer of ${values} values at ε = ${Number(epsilon.toPrecision(6))}`;

/** Beyond it, users should know. */
const NEARLY_BEST = 1e-4;

/** What threads reported about their searches. */
export class SearchGaps {
  private readonly greatest = new Map<string, number>();

  readonly add = (message: SearchMessage): void => {
    if (typeof message === 'string') say(message);
    else this.greatest.set(message.of, Math.max(message.gap, this.greatest.get(message.of) ?? 0));
  };

  /** The randomizers whose variance may be above the least possible by more than 0.01 %. */
  say(command: string): void {
    for (const [of, gap] of this.greatest)
      if (gap > NEARLY_BEST)
        say(`${command}: ${of}: its variance is at most ${percent(gap)} above the least possible`);
  }
}
