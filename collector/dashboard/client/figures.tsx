import type { ComponentChildren, JSX } from 'preact';
import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { CountsAnswer } from '../../answers';
import type { Answers } from './answers';
import { lateReports } from './charts/delays';
import { allOf, estimateOf } from './quantities';
import { count, showCount, showEstimate, showShare } from './words';

export function Figures({
  answers: { statistics, estimates },
  counts,
}: {
  readonly answers: Answers;
  readonly counts: CountsAnswer;
}): JSX.Element {
  const { observed, noise, estimate, variance, isKnown } = conversionsOf(estimates);
  const late = lateReports(statistics.delays);
  const unusable = unusableReports(estimates);
  return (
    <div class="cards figures">
      <Figure id="reports" title="Reports" value={showCount(statistics.reports)}>
        {count(counts.duplicates, 'duplicate')}, {showCount(counts.conflicting)} conflicting and{' '}
        {showCount(counts.refused)} refused in total
      </Figure>
      <Figure id="sources" title="Sources in the log" value={showCount(statistics.sources)}>
        {showCount(estimates.sources.used)} used, {showCount(estimates.sources.open)} with a window open or
        just closed
      </Figure>
      <Figure id="conversions" title="Conversions, estimated" value={isKnown ? showEstimate(estimate) : '–'}>
        {isKnown
          ? `${showEstimate(observed)} counted; standard error ${showEstimate(Math.sqrt(variance))}`
          : 'nothing to estimate from yet'}
      </Figure>
      <Figure
        id="noise"
        title="Expected noise"
        value={observed > 0 ? showShare(Math.min(1, noise / observed)) : '–'}
      >
        {showEstimate(noise)} of the counted conversions
      </Figure>
      <Figure id="late" title="Late" value={showCount(late)}>
        {showShare(statistics.reports === 0 ? 0 : late / statistics.reports)}, more than an hour after they
        were due
      </Figure>
      <Figure id="unusable" title="Not usable" value={showCount(unusable)}>
        {unusable === 0 ? 'every report fits its source' : <a href="#left-out">see why</a>}
      </Figure>
    </div>
  );
}

const Figure = ({
  id,
  title,
  value,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly value: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <section class="card">
    <h2 class="label">{title}</h2>
    <p class="figure" id={`figure-${id}`}>
      {value}
    </p>
    <p class="soft small">{children}</p>
  </section>
);

/** Sums over all configurations that count conversions: unbiased estimates add up, and so do their variances. */
function conversionsOf({ configurations }: EstimateResultJson): {
  readonly observed: number;
  readonly noise: number;
  readonly estimate: number;
  readonly variance: number;
  readonly isKnown: boolean;
} {
  const sum = { observed: 0, noise: 0, estimate: 0, variance: 0, isKnown: false };
  for (const configuration of configurations) {
    const all = allOf(configuration);
    const found = all === null ? null : estimateOf(all, 'conversions');
    if (found === null) continue;
    sum.observed += found.observed ?? 0;
    sum.noise += found.noise ?? 0;
    sum.estimate += found.estimate ?? 0;
    sum.variance += found.variance ?? 0;
    sum.isKnown = true;
  }
  return sum;
}

const unusableReports = ({ reports }: EstimateResultJson): number =>
  reports.unknown_source +
  Object.values(reports.inconsistent).reduce((sum, reportCount) => sum + reportCount, 0);
