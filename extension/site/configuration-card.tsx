import type { JSX } from 'preact';
import type { AnalysedEstimate, AnalysedGroup, Analysis } from '../../analysis/estimate/result/analysis';
import type { Quantity } from '../../analysis/estimate/quantities/quantities';
import { decimalsOf } from '../../analysis/estimate/result/decimals';
import { lostReportsOf, lostValues, unseenLosses } from '../../analysis/estimate/result/lost-reports-json';
import { unknownLosses } from '../../analysis/estimate/unbiased/lost-reports';
import { mismatchValues } from '../../analysis/estimate/unbiased/mismatch';
import type { Estimate } from '../../analysis/estimate/unbiased/response-estimate';
import { isBounded, noiseShare, shownEstimate } from '../../analysis/estimate/result/result-json';
import { shortfallValues } from '../../analysis/estimate/unbiased/shortfall';
import type { ConfigurationTally } from '../../analysis/estimate/unbiased/tally';
import { countsConversions } from '../../analysis/estimate/result/totals';
import { FittingTable } from '../../ui/fitting-table';
import { warning } from '../estimate-texts';
import { t } from '../i18n';
import { showDecimal, showDuration, showRounded } from '../pages/words/words';
import { Card } from '../pages/ui/basics';
import { TableHead } from '../../ui/table-head';

/** What was estimated for the sources of one configuration, all together and by group. */
export function ConfigurationCard({
  tally,
  analysis,
  groupBy,
  level,
}: {
  readonly tally: ConfigurationTally;
  readonly analysis: Analysis;
  readonly groupBy: readonly string[];
  readonly level: number;
}): JSX.Element {
  const { mechanism, epsilon } = tally.configuration;
  const { replaceProbability, outputs } = analysis.estimator;
  const [all, ...groups] = analysis.groups;
  const isCounted = countsConversions(tally.configuration.shape.triggerSpecs);
  const lost = analysis.lost === null ? null : lostReportsOf(analysis.lost, groupBy);
  const unseen = unseenLosses(lost);
  const unknown = unknownLosses({
    mechanism: mechanism.kind,
    lost: analysis.lost,
    isRefused: analysis.shortfall !== null || analysis.mismatches.length > 0,
    replaced: replaceProbability,
    observed:
      all?.estimates.find(({ quantity }) => quantity.kind === 'conversions')?.estimate.observed ?? null,
  });
  return (
    <Card title={t('site_configuration', { name: tally.name })}>
      <p class="soft">
        {t('site_configuration_is', {
          mechanism: mechanism.kind,
          epsilon: showDecimal(epsilon),
          outputs: String(outputs),
          replaced: replaceProbability === null ? 'none' : percent(replaceProbability),
        })}
      </p>
      {lost !== null && <p class="banner">{warning('lost-reports', lostValues(lost))}</p>}
      {unseen !== null && <p class="soft">{warning('unseen-losses', unseen)}</p>}
      {unknown !== null && (
        <p class="soft">{warning('losses-unknown', { ...unknown, share: 'not asked' })}</p>
      )}
      {analysis.shortfall !== null && analysis.lost?.fits !== true && (
        <p class="banner">{warning('shortfall', shortfallValues(analysis.shortfall))}</p>
      )}
      {analysis.mismatches[0] !== undefined && (
        <p class="banner">
          {warning(
            'mismatch',
            mismatchValues(analysis.mismatches, titleOf(analysis.mismatches[0].group, groupBy) || 'none'),
          )}
        </p>
      )}
      {all !== undefined && <GroupTable group={all} level={level} isCounted={isCounted} />}
      {groups.map((group) => (
        <details key={group.group.join(' ')}>
          <summary>{titleOf(group.group, groupBy)}</summary>
          <GroupTable group={group} level={level} isCounted={isCounted} />
        </details>
      ))}
    </Card>
  );
}

const titleOf = (group: readonly string[], groupBy: readonly string[]): string =>
  group.map((value, index) => `${groupBy[index] ?? ''} ${value}`).join(', ');

function GroupTable({
  group: { sources, estimates },
  level,
  isCounted,
}: {
  readonly group: AnalysedGroup;
  readonly level: number;
  /** Whether each report is of a conversion, rather than of a bucket that was reached. */
  readonly isCounted: boolean;
}): JSX.Element {
  const interval = t('site_interval', { level: percent(level) });
  return (
    <FittingTable>
      <table class="plain-table estimates">
        <caption class="small soft">{t('site_of_sources', { sources })}</caption>
        <TableHead
          of={[
            t('tables_column_what'),
            t('site_observed'),
            t('site_estimate'),
            interval,
            t('site_noise_share'),
          ]}
        />
        <tbody>
          {estimates.map((row, index) => (
            <EstimateRow key={index} {...row} isCounted={isCounted} />
          ))}
        </tbody>
      </table>
    </FittingTable>
  );
}

function EstimateRow({
  quantity,
  estimate,
  isCounted,
}: AnalysedEstimate & { readonly isCounted: boolean }): JSX.Element {
  const [low, high] = estimate.interval;
  const isRate = quantity.kind === 'conversion-rate';
  const show = (value: number): string => (isRate ? percent : rounded)(value, estimate.interval);
  return (
    <tr data-quantity={quantity.kind} data-estimate={shownEstimate(estimate)}>
      <th scope="row">{quantityWords(quantity, isCounted)}</th>
      <td>{show(estimate.observed)}</td>
      <td class="strong">{valueIn(estimate, show)}</td>
      <td>{!isBounded(estimate.interval) ? '–' : t('site_from_to', { low: show(low), high: show(high) })}</td>
      <td>{percent(noiseShare(estimate))}</td>
    </tr>
  );
}

/** The estimate. Without one, the interval has every possible number, or there is none. */
export function valueIn(estimate: Estimate, show: (value: number) => string): string {
  const value = shownEstimate(estimate);
  return Number.isNaN(value) && isBounded(estimate.interval) ? t('site_too_few') : show(value);
}

function quantityWords(quantity: Quantity, isCounted: boolean): string {
  const isOfBuckets = quantity.kind === 'conversions' && !isCounted;
  return t('site_quantity', {
    kind: isOfBuckets ? 'buckets' : quantity.kind.replaceAll('-', '_'),
    data: 'triggerData' in quantity ? quantity.triggerData : '',
    end: 'windowEnd' in quantity ? showDuration(quantity.windowEnd * 1000) : '',
    least: 'bucket' in quantity ? showDecimal(quantity.bucket[0]) : '',
    state: 'state' in quantity ? quantity.state : '',
    value:
      'value' in quantity
        ? showDecimal(quantity.value)
        : 'values' in quantity
          ? quantity.values.map((value) => showDecimal(value)).join(', ')
          : '',
  });
}

/** With three digits, and more if the interval is narrower. */
export function percent(share: number, interval: readonly number[] = []): string {
  if (!Number.isFinite(share)) return '–';
  const value = share * 100;
  const digits = decimalsOf(
    value,
    interval.map((end) => end * 100),
  );
  return t('attribution_percent', {
    number: showRounded(value, Math.max(digits, decimalsOf(value, [], 3))),
  });
}

/** With tenths below 10,000, and more digits if the interval is narrower. */
export const rounded = (value: number, interval: readonly number[] = []): string =>
  Number.isFinite(value)
    ? showRounded(value, Math.max(Math.abs(value) < 10_000 ? 1 : 0, decimalsOf(value, interval)))
    : '–';
