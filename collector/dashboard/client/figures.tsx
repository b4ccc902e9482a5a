import type { ComponentChildren, JSX } from 'preact';
import type {
  ConfigurationJson,
  EstimateResultJson,
} from '../../../analysis/estimate/result/estimate-result';
import { contradictRates, lostByClocks } from '../../../analysis/estimate/result/unjoined';
import type { Answers } from './answers';
import { lateReports } from './late-reports';
import { expectedNoise } from './estimate-words';
import { t } from './language';
import { estimateOf } from './quantities';
import { showCount, showEstimate, showFound, showInterval, showShare } from './words';

export function Figures({
  answers: { dimensions, statistics, estimates },
}: {
  readonly answers: Answers;
}): JSX.Element {
  const { counts } = dimensions;
  const all = estimates.totals.find(({ group }) => Object.keys(group).length === 0);
  const found = all === undefined ? null : estimateOf(all, 'conversions');
  const noise = found === null ? null : expectedNoise(found);
  const late = lateReports(statistics.delays);
  const unusable = unusableReports(estimates);
  const { used, other_rate: other } = estimates.reports;
  const clocks = lostByClocks(
    estimates.reports,
    estimates.configurations.flatMap((own) => (hasValues(own) ? [] : [own.lost_reports])),
  );
  return (
    <>
      {contradictRates(estimates.reports) && (
        <p class="banner" id="other-rates">
          {t('other-rates', { used, other })}
        </p>
      )}
      {clocks !== null && (
        <p class="banner" id="clocks-lost">
          {t('clocks-lost', { ...clocks, share: 'not asked', option: '' })}
        </p>
      )}
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
          value={found === null ? '–' : showFound(found.estimate, found.interval, showEstimate)}
        >
          {all === undefined || found === null
            ? t('nothing-to-estimate')
            : t('conversions-counted', {
                interval: showInterval(found.interval[0] ?? NaN, found.interval[1] ?? NaN, showEstimate),
                counted: showEstimate(found.observed ?? 0),
                covered: all.covered,
                sources: all.sources,
              })}
        </Figure>
        <Figure id="noise" title={t('expected-noise')} value={noise?.share ?? '–'}>
          {noise?.meaning ?? t('nothing-to-estimate')}
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
    </>
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

/** Reports of values have no windows. */
const hasValues = ({ groups, not_estimable: hidden }: ConfigurationJson): boolean =>
  [...hidden, ...groups.flatMap(({ estimates }) => estimates)].some(
    ({ quantity }) => quantity === 'label-sum' || quantity === 'binned-sum',
  );

const unusableReports = ({ reports }: EstimateResultJson): number =>
  reports.unknown_source +
  Object.values(reports.inconsistent).reduce((sum, reportCount) => sum + reportCount, 0);
