import { analysesOf, type OnGroup } from './analyses';
import type { AnalysisOptions } from './analysis';
import type { EstimateResult } from './result-json';
import type { Statistics } from './statistics';
import { mergeConfigurations } from '../unbiased/tally';
import { noneJoins } from './unjoined';

/** The estimates from the counts of a log. */
export function estimatesOf(
  counted: Statistics,
  options: AnalysisOptions,
  onGroup?: OnGroup,
): EstimateResult {
  const tallies = mergeConfigurations(counted.configurations);
  return {
    ...counted,
    options,
    configurations: analysesOf(tallies, options, noneJoins(counted.reports), onGroup),
  };
}
