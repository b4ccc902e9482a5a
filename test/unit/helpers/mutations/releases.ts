import type { Change } from './mutation';

/** A sabotage of what is published of reports and labels, and the id of the release that finds it. */
interface ReleaseMutation extends Change {
  readonly breaks: string;
  readonly foundBy: string;
}

const CHOICES = 'analysis/aggregate/choices.ts';

export const releaseMutations: readonly ReleaseMutation[] = [
  {
    breaks: 'each bucket’s bin is told with all of ε',
    file: 'analysis/aggregate/bins.ts',
    before: 'toNumber() / buckets) * MARGIN',
    after: 'toNumber()) * MARGIN',
    foundBy: 'bins',
  },
  {
    breaks: 'the largest sum is chosen with 2 ε',
    file: CHOICES,
    before: 'Rational.of(2n * sensitivity)',
    after: 'Rational.of(sensitivity)',
    foundBy: 'largest',
  },
  {
    breaks: 'sums get no noise before they are compared with the threshold',
    file: CHOICES,
    before: 'sum + ofSum(random) >= limit',
    after: 'sum >= limit',
    foundBy: 'first-above',
  },
  {
    breaks: 'label sums have noise for one feature',
    file: 'analysis/learn/noisy-sums.ts',
    before: '(categories.length + 1) * examplesPerUnit',
    after: 'examplesPerUnit',
    foundBy: 'label-sums',
  },
  {
    breaks: 'sums of features have noise for one example of a unit',
    file: 'analysis/learn/feature-sums.ts',
    before: '* examplesPerUnit * sums.distance',
    after: '* sums.distance',
    foundBy: 'feature-sums',
  },
  {
    breaks: 'clusters have noise for one example of a unit',
    file: 'analysis/learn/clustered-labels.ts',
    before: 'Rational.of(examplesPerUnit).over',
    after: 'Rational.of(1).over',
    foundBy: 'clusters',
  },
  {
    breaks: 'sums of summary reports have half of the noise',
    file: 'analysis/experiment/summary-measurement.ts',
    before: 'over(Rational.of(share))',
    after: 'over(Rational.of(2 * share))',
    foundBy: 'compare-summary',
  },
  {
    // That each level gets all of the contribution would tell nothing: the device then drops the conversion.
    breaks: 'the first level of label sums gets no noise',
    file: 'analysis/experiment/designs/label-sums.ts',
    before: 'unit, noise)',
    after: 'unit, index === 0 ? null : noise)',
    foundBy: 'compare-label-sums',
  },
  {
    breaks: 'bags are told with half of the noise',
    file: 'analysis/experiment/designs/proportions.ts',
    before: 'Number(drawn(noise.random))',
    after: 'Number(drawn(noise.random) / 2n)',
    foundBy: 'compare-proportions',
  },
];
