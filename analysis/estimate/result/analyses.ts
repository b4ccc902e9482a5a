import { analyse, type AnalysisOptions } from './analysis';
import { isHeartbeat, lostHeartbeats } from '../unbiased/heartbeats';
import type { ConfigurationTally } from '../unbiased/tally';
import type { Analysed } from './totals';

/**
 * Everything that can be estimated about the sources of each configuration. Heartbeats among them say how many reports are lost, unless that is
 * given.
 * @param isWithheld as for `analyse`.
 */
export function analysesOf(
  tallies: readonly ConfigurationTally[],
  options: AnalysisOptions,
  isWithheld: boolean,
): readonly Analysed[] {
  const lost = options.lost ?? lostHeartbeats(tallies, options.level);
  return tallies
    .filter(({ configuration }) => !isHeartbeat(configuration))
    .map((tally) => ({
      tally,
      analysis: analyse(tally, lost === null ? options : { ...options, lost }, isWithheld),
    }));
}
