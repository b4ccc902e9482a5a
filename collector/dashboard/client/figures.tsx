import type { ComponentChildren, JSX } from 'preact';
import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { CountsAnswer } from '../../http/answers';
import type { Answers } from './answers';
import { lateReports } from './charts/delays';
import { t } from './language';
import { allOf, estimateOf } from './quantities';
import { showCount, showEstimate, showShare } from './words';

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
      <Figure id="reports" title={t('reports')} value={showCount(statistics.reports)}>
        {t('reports-besides', {
          duplicates: counts.duplicates,
          conflicting: counts.conflicting,
          refused: counts.refused,
        })}
      </Figure>
      <Figure id="sources" title={t('sources-in-log')} value={showCount(statistics.sources)}>
        {t('sources-usable', { used: estimates.sources.used, open: estimates.sources.open })}
      </Figure>
      <Figure
        id="conversions"
        title={t('conversions-estimated')}
        value={isKnown ? showEstimate(estimate) : '–'}
      >
        {isKnown
          ? t('conversions-counted', {
              counted: showEstimate(observed),
              error: showEstimate(Math.sqrt(variance)),
            })
          : t('nothing-to-estimate')}
      </Figure>
      <Figure
        id="noise"
        title={t('expected-noise')}
        value={observed > 0 ? showShare(Math.min(1, noise / observed)) : '–'}
      >
        {t('noise-counted', { noise: showEstimate(noise) })}
      </Figure>
      <Figure id="late" title={t('late')} value={showCount(late)}>
        {t('late-share', {
          share: showShare(statistics.reports === 0 ? 0 : late / statistics.reports),
        })}
      </Figure>
      <Figure id="unusable" title={t('unusable')} value={showCount(unusable)}>
        {unusable === 0 ? t('all-usable') : <a href="#left-out">{t('see-why')}</a>}
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
