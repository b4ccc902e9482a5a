import { discreteLaplace } from '../noise/discrete-laplace';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { clusterRows } from './clusters';
import { withLabels, type Examples } from './examples';
import type { PrivacyAccountant } from './privacy-accountant';
import type { PrivateBudget } from './private-train';
import type { RandomNumbers } from './random-numbers';

/** With more rows in a cluster its rate is more exact, with fewer clusters differ more. */
const ROWS_PER_CLUSTER = 200;
/** Each row is compared with each cluster. */
const MOST_CLUSTERS = 256;

/**
 * Label privacy by clusters (Esfandiari, Mirrokni, Syed & Vassilvitskii 2022): clusters come from features alone, and each gets its number of
 * conversions with discrete Laplace noise. Each example then has its cluster's rate as label. The paper draws a label with that rate; its mean
 * gives the same gradient without the noise of drawing. A unit with K examples changes the counts by at most K.
 */
export function withClusteredLabels(
  examples: Examples,
  { epsilon, examplesPerUnit }: Omit<PrivateBudget, 'delta'>,
  numbers: RandomNumbers,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Examples {
  accountant.spend({ what: 'cluster-counts', epsilon, delta: 0 });
  const clusters = clusterRows(
    examples,
    Math.min(MOST_CLUSTERS, Math.ceil(examples.count / ROWS_PER_CLUSTER)),
    numbers,
  );
  const rows = new Map<number, number>();
  const conversions = new Map<number, number>();
  clusters.forEach((cluster, row) => {
    rows.set(cluster, (rows.get(cluster) ?? 0) + 1);
    const label = accountant.readLabel(examples, row, 'labels');
    conversions.set(cluster, (conversions.get(cluster) ?? 0) + label);
  });
  const noise = discreteLaplace(Rational.of(examplesPerUnit).over(Rational.of(epsilon)));
  const rates = new Map(
    [...rows].map(([cluster, count]) => {
      const noisy = (conversions.get(cluster) ?? 0) + Number(noise(random));
      return [cluster, Math.min(Math.max(noisy / count, 0), 1)];
    }),
  );
  return withLabels(
    examples,
    Float32Array.from(clusters, (cluster) => rates.get(cluster) ?? 0),
  );
}
