import type { AnalysedEstimate } from './analysis';
import type { Analysed } from './totals';

/** The estimates of each configuration and group; none of a group that is not in the slice. */
export type SliceEstimates = readonly (readonly (readonly AnalysedEstimate[])[])[];

export const estimatesOfSlice = (configurations: readonly Analysed[]): SliceEstimates =>
  configurations.map(({ analysis }) => analysis.groups.map(({ estimates }) => estimates));

/** Adds the estimates that other threads made. What is not about a single group, each of them found, too. */
export const withSlices = (
  configurations: readonly Analysed[],
  others: readonly SliceEstimates[],
): readonly Analysed[] =>
  configurations.map(({ tally, analysis }, configuration) => {
    const slices = [estimatesOfSlice(configurations), ...others].map((slice) => slice[configuration] ?? []);
    const groups = analysis.groups.map((group, place) => ({
      ...group,
      estimates: slices.flatMap((slice) => slice[place] ?? []),
    }));
    return { tally, analysis: { ...analysis, groups } };
  });
