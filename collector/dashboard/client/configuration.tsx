import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { trueReports } from '../../../analysis/audit/true-reports';
import { mismatchValues } from '../../../analysis/estimate/unbiased/mismatch';
import { lostValues, unseenLosses } from '../../../analysis/estimate/result/lost-reports-json';
import { unknownLosses } from '../../../analysis/estimate/unbiased/lost-reports';
import { shortfallValues } from '../../../analysis/estimate/unbiased/shortfall';
import { countsConversions } from '../../../analysis/estimate/result/totals';
import { epsilon } from '../../../src/model/units';
import type { ConfigurationJson, MismatchJson } from '../../../analysis/estimate/result/estimate-result';
import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import type { ShownQuantity } from './address';
import type { ConfigurationAnswer, TruthAnswer } from '../../http/answers';
import { Estimates } from './charts/estimates';
import { t } from './language';
import { allGroups, type EstimateRow } from './estimate-words';
import { allOf, estimateOf, shownEstimate } from './quantities';
import { parts, quantityTitle } from './quantity-words';
import { stateReader } from './state-words';
import { insideOf, showConfiguration, showMechanism, showRate, titleOf } from './words';

interface Properties {
  readonly estimated: ConfigurationJson;
  readonly entry: ConfigurationAnswer | undefined;
  readonly group: string;
  readonly quantity: ShownQuantity;
  readonly nameOf: (group: string) => string;
  readonly truth: TruthAnswer | null;
}

const MOST_GROUPS = 15;

/** Three charts about the sources of one configuration. */
export function Configuration({
  estimated,
  entry,
  group,
  quantity,
  nameOf,
  truth,
}: Properties): JSX.Element | null {
  const all = allOf(estimated);
  const isCounted = entry?.shape == null || countsConversions(entry.shape.triggerSpecs);
  const known = isCounted ? truth : null;
  const groups = useMemo(
    () => groupRows(estimated, quantity, nameOf, known),
    [estimated, quantity, nameOf, known],
  );
  const partRows = useMemo(() => (all === null ? [] : parts(all)), [all]);
  const states = useMemo(() => stateRows(all?.estimates ?? [], entry), [all, entry]);
  if (all === null) return null;
  const total = shownEstimate(all, quantity);
  const shares = total?.quantity === 'conversion-rate';
  const unseen = unseenLosses(estimated.lost_reports);
  const unknown = unknownLosses({
    mechanism: estimated.mechanism,
    lost: estimated.lost_reports,
    isRefused: estimated.shortfall !== null || estimated.mismatches.length > 0,
    replaced: estimated.replace_probability,
    observed: estimateOf(all, 'conversions')?.observed ?? null,
  });
  const name = entry === undefined ? estimated.configuration : showConfiguration(entry);
  return (
    <section class="configuration" id={`configuration-${estimated.configuration.slice(0, 8)}`}>
      <h3>{name}</h3>
      <p class="soft">
        {t('configuration-sources', {
          count: all.sources,
          mechanism: showMechanism(estimated.mechanism),
          random: estimated.replace_probability === null ? 'none' : showRate(estimated.replace_probability),
        })}{' '}
        {t('true-reports', trueReports(epsilon(estimated.epsilon)))}
      </p>
      {estimated.lost_reports !== null && (
        <p class="warn">{t('lost-reports', lostValues(estimated.lost_reports))}</p>
      )}
      {unseen !== null && <p class="soft">{t('unseen-losses', unseen)}</p>}
      {unknown !== null && <p class="soft">{t('losses-unknown', { ...unknown, share: 'not asked' })}</p>}
      {estimated.shortfall !== null && estimated.lost_reports?.fits !== true && (
        <p class="warn" data-shortfall={estimated.shortfall.reports}>
          {t('shortfall', shortfallValues(estimated.shortfall))}
        </p>
      )}
      {estimated.mismatches[0] !== undefined && (
        <p class="warn" data-mismatches={estimated.mismatches.length}>
          {t('mismatch', mismatchValues(estimated.mismatches, groupOf(estimated.mismatches[0], nameOf)))}
        </p>
      )}
      {estimated.likelihood_model === 'does-not-fit' && <p class="warn">{t('misfit')}</p>}
      {estimated.likelihood_model === 'fits' && <p class="soft">{t('likeliest')}</p>}
      <div class="charts">
        {total !== null && (
          <Estimates
            title={t('quantity-by', {
              quantity: quantityTitle(total.quantity, isCounted),
              property: insideOf(group),
            })}
            says={allGroups(total)}
            of={name}
            each={titleOf(group)}
            rows={groups}
            shares={shares}
          />
        )}
        {partRows.length > 0 && (
          <Estimates
            title={t('parts-title')}
            says={t('parts-meaning')}
            of={name}
            each={t('part')}
            rows={partRows}
            shares={false}
          />
        )}
        {states.rows.length > 0 && (
          <Estimates
            title={t('states-title')}
            says={t('states-meaning', { without: states.without })}
            of={name}
            each={t('state')}
            rows={states.rows}
            shares={false}
            floor={states.floor}
          />
        )}
      </div>
    </section>
  );
}

const groupOf = ({ group }: MismatchJson, nameOf: (group: string) => string): string =>
  Object.values(group).map(nameOf).join(', ') || 'none';

/** The largest groups; the table below the charts lists all. */
function groupRows(
  { groups, configuration }: ConfigurationJson,
  quantity: ShownQuantity,
  nameOf: (group: string) => string,
  truth: TruthAnswer | null,
): readonly EstimateRow[] {
  return groups
    .flatMap((group) => {
      const [value] = Object.values(group.group);
      const estimate = shownEstimate(group, quantity);
      if (value === undefined || estimate === null) return [];
      const happened = truth?.groups.find(
        (one) => one.configuration === configuration && one.group === value,
      );
      const known = truth === null ? {} : { truth: trueNumber(estimate.quantity, happened, group.sources) };
      return [{ label: nameOf(value), estimate, ...known }];
    })
    .sort((a, b) => (b.estimate.observed ?? 0) - (a.estimate.observed ?? 0))
    .slice(0, MOST_GROUPS);
}

/** Null for quantities that are not counts of conversions. */
function trueNumber(
  quantity: string,
  happened: TruthAnswer['groups'][number] | undefined,
  sources: number,
): number | null {
  if (quantity === 'conversions') return happened?.conversions ?? 0;
  if (quantity === 'conversion-rate') return (happened?.converted ?? 0) / Math.max(1, sources);
  return null;
}

interface States {
  readonly rows: readonly EstimateRow[];
  /** How many sources noise alone puts into each state. */
  readonly floor: number | null;
  /** How many sources have no report. */
  readonly without: number;
}

/** The requested states, without the state that has no report: most sources are in it. */
function stateRows(estimates: readonly EstimateJson[], entry: ConfigurationAnswer | undefined): States {
  // Where losses are corrected, nobody knows how many sources had a state.
  const states = estimates.filter(({ state, observed }) => state !== undefined && observed !== null);
  const none = states.find(({ state }) => state === '0');
  const reader = entry?.shape == null ? null : stateReader(entry.shape);
  const rows = states
    .filter(({ state }) => state !== '0')
    .sort((a, b) => (b.observed ?? 0) - (a.observed ?? 0))
    .map((estimate) => ({
      label: reader?.(estimate.state ?? '0') ?? t('state-number', { state: estimate.state ?? '' }),
      estimate,
    }));
  return {
    rows,
    floor: rows[0]?.estimate.noise ?? null,
    without: none?.observed ?? 0,
  };
}
