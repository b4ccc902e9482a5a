import { analyse, type AnalysisOptions } from './analysis';
import { cellsOf } from '../quantities/configuration';
import { isHeartbeat, lostHeartbeats } from '../unbiased/heartbeats';
import { withParents, type ConfigurationTally } from '../unbiased/tally';
import type { Analysed } from './totals';

/** Is called when the estimates of a group are done, with how much of all the work that is. */
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
  const costOf = ({ configuration, groups }: ConfigurationTally): number =>
    withParents(groups).length * cellsOf(configuration);
  const all = onGroup === undefined ? 0 : shown.reduce((sum, tally) => sum + costOf(tally), 0);
  let done = 0;
  return shown.map((tally) => ({
    tally,
    analysis: analyse(tally, lost === null ? options : { ...options, lost }, isWithheld, () =>
      onGroup?.((done += cellsOf(tally.configuration)), all),
    ),
  }));
}
