import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { MISFIT_WORDS } from '../../../analysis/estimate/likelihood';
import { shortfallWords } from '../../../analysis/estimate/shortfall';
import type { ConfigurationJson, EstimateJson } from '../../../analysis/estimate/estimate-result';
import type { ShownQuantity } from './address';
import type { ConfigurationAnswer, TruthAnswer } from '../../answers';
import { Estimates, type EstimateRow } from './charts/estimates';
import { allOf, parts, quantityTitle, shownEstimate } from './quantities';
import { stateReader } from './state-words';
import { count, showConfiguration, showEstimate, showMechanism, showRate, titleOf } from './words';

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
  const groups = useMemo(
    () => groupRows(estimated, quantity, nameOf, truth),
    [estimated, quantity, nameOf, truth],
  );
  const partRows = useMemo(() => (all === null ? [] : parts(all)), [all]);
  const states = useMemo(() => stateRows(all?.estimates ?? [], entry), [all, entry]);
  if (all === null) return null;
  const total = shownEstimate(all, quantity);
  const shares = total?.quantity === 'conversion-rate';
  const name = entry === undefined ? estimated.configuration : showConfiguration(entry);
  return (
    <section class="configuration" id={`configuration-${estimated.configuration.slice(0, 8)}`}>
      <h3>{name}</h3>
      <p class="soft">
        {count(all.sources, 'source')}, {showMechanism(estimated.mechanism)}
        {estimated.replace_probability !== null &&
          `; ${showRate(estimated.replace_probability)} of them report at random`}
        .
      </p>
      {estimated.shortfall !== null && (
        <p class="warn" data-shortfall={estimated.shortfall.reports}>
          {sentence(shortfallWords(estimated.shortfall))}
        </p>
      )}
      {estimated.likelihood_model === 'does-not-fit' && <p class="warn">{sentence(MISFIT_WORDS)}</p>}
      {estimated.likelihood_model === 'fits' && (
        <p class="soft">
          The likeliest numbers are never below 0 and add up over groups. Their errors are smaller than those
          of the unbiased estimates, but they are biased: small groups are drawn towards all.
        </p>
      )}
      <div class="charts">
        {total !== null && (
          <Estimates
            title={`${quantityTitle(total.quantity)} by ${titleOf(group).toLowerCase()}`}
            says={`All: ${(shares ? showRate : showEstimate)(total.estimate)} estimated, ${(shares ? showRate : showEstimate)(total.observed)} raw.`}
            of={name}
            each={titleOf(group)}
            rows={groups}
            shares={shares}
          />
        )}
        {partRows.length > 0 && (
          <Estimates
            title="By what was reported"
            says="All groups together, by trigger data and by the end of the report window after the source."
            of={name}
            each="Part"
            rows={partRows}
            shares={false}
          />
        )}
        {states.rows.length > 0 && (
          <Estimates
            title="Output states"
            says={`Sources by their reports together: trigger data and window. ${states.without}. The line shows how many sources noise alone gives each state on average.`}
            of={name}
            each="State"
            rows={states.rows}
            shares={false}
            floor={states.floor}
          />
        )}
      </div>
    </section>
  );
}

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
  /** How many sources have no report, in words. */
  readonly without: string;
}

/** The requested states, without the state that has no report: most sources are in it. */
function stateRows(estimates: readonly EstimateJson[], entry: ConfigurationAnswer | undefined): States {
  const states = estimates.filter(({ state }) => state !== undefined);
  const none = states.find(({ state }) => state === '0');
  const reader = entry?.shape == null ? null : stateReader(entry.shape);
  const rows = states
    .filter(({ state }) => state !== '0')
    .sort((a, b) => (b.observed ?? 0) - (a.observed ?? 0))
    .map((estimate) => ({
      label: reader?.(estimate.state ?? '0') ?? `state ${estimate.state ?? ''}`,
      estimate,
    }));
  return {
    rows,
    floor: rows[0]?.estimate.noise ?? null,
    without: `${count(none?.observed ?? 0, 'source')} had no report`,
  };
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
