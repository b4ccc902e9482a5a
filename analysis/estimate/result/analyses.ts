import { analyse, type AnalysisOptions } from './analysis';
import { isHeartbeat, lostHeartbeats } from '../unbiased/heartbeats';
import { withParents, type ConfigurationTally } from '../unbiased/tally';
import type { Analysed } from './totals';

/** Is called when the estimates of a group are done, with how many of all groups have theirs. */
export type OnGroup = (done: number, all: number) => void;

/**
 * Everything that can be estimated about the sources of each configuration. Heartbeats among them say how many reports are lost, unless that is
 * given.
 * @param isWithheld as for `analyse`.
 */
export function analysesOf(
  tallies: readonly ConfigurationTally[],
  options: AnalysisOptions,
  isWithheld: boolean,
  onGroup?: OnGroup,
): readonly Analysed[] {
  const lost = options.lost ?? lostHeartbeats(tallies, options.level);
  const shown = tallies.filter(({ configuration }) => !isHeartbeat(configuration));
  const all = onGroup === undefined ? 0 : shown.flatMap(({ groups }) => withParents(groups)).length;
  let done = 0;
  const next = (): void => onGroup?.(++done, all);
  return shown.map((tally) => ({
    tally,
    analysis: analyse(tally, lost === null ? options : { ...options, lost }, isWithheld, next),
  }));
}
