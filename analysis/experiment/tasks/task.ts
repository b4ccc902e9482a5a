/** A campaign, or another group of sources. */
export interface TaskGroup {
  readonly name: string;
  /** Its sources, which the ad side knows. */
  readonly sources: number;
  /** Its conversions. */
  readonly truth: number;
  /** As an API lets them be estimated. */
  readonly estimate: number;
  /** The variance of the estimate, from the noise alone; null if it is unknown, so that the estimate says nothing. */
  readonly variance: number | null;
}

/** What a task knows besides the groups. */
export interface TaskOptions {
  /** The level of intervals. */
  readonly confidence: number;
  /** The share of the people who are held out in a lift test; null: it is none. */
  readonly holdout: number | null;
  /** The most that a conversion is worth, if values are measured; null: conversions are. */
  readonly mostValue: number | null;
}

/** Sources with the same values of all columns. */
export interface FeatureCell {
  /** By column. */
  readonly values: readonly string[];
  readonly sources: number;
  /** Their conversions, or what these are worth. */
  readonly truth: number;
}

/** What somebody knows about the sources after one run, and the truth to judge by. */
export interface TaskInput extends TaskOptions {
  /** By the first level with one column. */
  readonly groups: readonly TaskGroup[];
  readonly cells: readonly FeatureCell[];
  /** For each column, the conversions of its values, or what they are worth, as an API lets them be estimated. Empty if a column has no level. */
  readonly sums: readonly ReadonlyMap<string, number>[];
}

/** What somebody does with the estimates of one run. */
export interface Task {
  readonly title: string;
  readonly what: string;
  /** Whether it needs a level for each column. */
  readonly needsFeatures: boolean;
  readonly measures: 'conversions' | 'value';
  /** By their names, which are the labels of figures and columns. */
  readonly numbers: Readonly<Record<string, (input: TaskInput) => number>>;
}

/**
 * The conversion rate that somebody believes in: a conversion more and a source more with half of one, as Krichevsky & Trofimov (1981) have it,
 * so that no rate is 0 or 1, whatever noise did.
 */
export const rateOf = (conversions: number, { sources }: Pick<TaskGroup, 'sources'>): number =>
  (Math.min(Math.max(conversions, 0), sources) + 1 / 2) / (sources + 1);

/** The rate that the estimate suggests; null if it says nothing. */
export const estimatedRate = (group: TaskGroup): number | null =>
  group.variance === null ? null : rateOf(group.estimate, group);
