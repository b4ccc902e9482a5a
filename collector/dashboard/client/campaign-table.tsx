import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { alikeNames } from '../../../analysis/estimate/result/alike-names';
import {
  campaignsOf,
  isOfAlikeSources,
  slicesBy,
  type Campaign,
} from '../../../analysis/estimate/result/campaigns';
import { pairLevel, pairsOf } from '../../../analysis/estimate/intervals/ranks';
import { FittingTable } from '../../../ui/fitting-table';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { coverageOf, rankIn, tiedOrReason, valuesIn, withInterval } from './campaign-cells';
import { IntervalMark, scaleOf, type Scale } from './interval-mark';
import { t } from './language';
import { PostedNote } from './posted-note';
import { showCount, showEstimate, showRate, showShare, titleOf } from './words';

const MOST = 20;

/** Every group with the conversions that all kinds of reports tell, what they cover, and which do best as far as can be said. */
export function CampaignTable({
  view,
  answers: { estimates, truth, group, summary, histogram, statistics },
  nameOf,
}: {
  readonly view: View;
  readonly answers: Answers;
  readonly nameOf: (group: string) => string;
}): JSX.Element | null {
  const { basis, rows } = useMemo(
    () =>
      campaignsOf({
        estimates,
        truth,
        slices: isFiltered(view) ? new Map() : slicesBy(summary.rows, group),
        histogram: isFiltered(view) ? new Map() : slicesBy(histogram.rows, group),
        logged: new Map(statistics.groups.map(({ group: name, sources }) => [name ?? '', sources])),
      }),
    [estimates, truth, summary, histogram, statistics, group, view],
  );
  const alike = useMemo(() => alikeNames(rows.map((row) => row.group)), [rows]);
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MOST);
  const scale = scaleOfRows(shown);
  const ranked = rows.filter(({ rank }) => rank !== null).length;
  const hasSummary = rows.some((row) => row.summary !== null);
  const hasHistogram = rows.some((row) => row.histogram !== null);
  const hasValues = rows.some(({ values }) => values !== null);
  const knowsTruth = truth !== null;
  return (
    <section class="card">
      <h2 id="ranking-title">{t('ranking-title', { property: titleOf(group), basis })}</h2>
      <FittingTable class="scroll whole" label={{ 'aria-labelledby': 'ranking-title' }}>
        <table class="plain-table" id="ranking">
          <thead>
            <tr>
              <th scope="col">{t('rank')}</th>
              <th scope="col">{titleOf(group)}</th>
              <th scope="col">{t('rate', { basis })}</th>
              <th scope="col" aria-hidden="true" />
              {knowsTruth && basis === 'event-level' && <th scope="col">{t('true-rate')}</th>}
              <th scope="col">{t('due-to-noise')}</th>
              <th scope="col">{t('tied-with')}</th>
              {hasSummary && <th scope="col">{t('by-summary')}</th>}
              {hasHistogram && <th scope="col">{t('by-histogram')}</th>}
              <th scope="col">{t('by-event-level')}</th>
              {knowsTruth && <th scope="col">{t('true-conversions')}</th>}
              {hasValues && <th scope="col">{t('by-values')}</th>}
              <th scope="col">{t('covers')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row
                key={row.group}
                {...{ row, basis, nameOf, scale, hasSummary, hasHistogram, hasValues, knowsTruth }}
              />
            ))}
          </tbody>
        </table>
      </FittingTable>
      <p class="soft small">
        {ranked > 1 &&
          t('ranks-meaning', {
            pairs: pairsOf(ranked),
            level: showShare(estimates.level),
            pairLevel: showRate(pairLevel(estimates.level, ranked)),
          })}
        {rows.length > MOST && ` ${t('more-rows', { count: rows.length - MOST })}`}
      </p>
      {shown.some(isOfAlikeSources) && <p class="soft small">{t('alike-sources')}</p>}
      {alike.map(({ names, more }) => (
        <p class="warn" key={names[0]}>
          {t('alike-names', { names: spellings(names, nameOf), more })}
        </p>
      ))}
      <PostedNote id="summary" posted={summary} {...{ view, group }} isShown={hasSummary} />
      <PostedNote id="histogram" posted={histogram} {...{ view, group }} isShown={hasHistogram} />
    </section>
  );
}

/** In quotes, because names can differ in spaces only; an empty one is shown as in the table. */
const spellings = (names: readonly string[], nameOf: (group: string) => string): string =>
  names.map((name) => (name === '' ? nameOf(name) : JSON.stringify(name))).join(', ');

interface RowProperties {
  readonly row: Campaign;
  readonly basis: 'summary' | 'event-level';
  readonly nameOf: (group: string) => string;
  readonly scale: Scale;
  readonly hasSummary: boolean;
  readonly hasHistogram: boolean;
  readonly hasValues: boolean;
  readonly knowsTruth: boolean;
}

const Row = ({
  row,
  basis,
  nameOf,
  scale,
  hasSummary,
  hasHistogram,
  hasValues,
  knowsTruth,
}: RowProperties): JSX.Element => (
  <tr data-ranked={row.group}>
    <td>{rankIn(row)}</td>
    <th scope="row">{nameOf(row.group)}</th>
    <td>{withInterval(row.rate, showRate)}</td>
    <td aria-hidden="true">
      {row.rate !== null && (
        <IntervalMark
          of={row.rate}
          truth={basis === 'event-level' ? (row.truth?.rate ?? null) : null}
          scale={scale}
        />
      )}
    </td>
    {knowsTruth && basis === 'event-level' && (
      <td>{row.truth === null || row.rate === null ? '–' : showRate(row.truth.rate)}</td>
    )}
    <td>{row.rate === null ? '–' : showShare(row.rate.noiseShare)}</td>
    <td class={row.rank === null ? 'tied alike' : 'tied'}>{tiedOrReason(row, nameOf)}</td>
    {hasSummary && <td>{withInterval(row.summary, showEstimate)}</td>}
    {hasHistogram && <td>{withInterval(row.histogram, showEstimate)}</td>}
    <td>{withInterval(row.conversions, showEstimate)}</td>
    {knowsTruth && <td>{row.truth === null ? '–' : showCount(row.truth.conversions)}</td>}
    {hasValues && <td>{valuesIn(row)}</td>}
    <td>{coverageOf(row)}</td>
  </tr>
);

/** All rows have the same scale. */
const scaleOfRows = (rows: readonly Campaign[]): Scale =>
  scaleOf(
    rows.flatMap(({ rate, truth }) => [...(rate === null ? [] : [rate.low, rate.high]), truth?.rate ?? 0]),
  );
