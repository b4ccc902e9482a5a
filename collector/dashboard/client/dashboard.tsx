import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { columnsOf } from '../../../analysis/estimate/result/campaigns';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { CampaignTable } from './campaign-table';
import { Delays } from './charts/delays';
import { OverTime } from './charts/over-time';
import { Configuration } from './configuration';
import { Downloads } from './downloads';
import { NothingYet } from './empty';
import { Figures } from './figures';
import { Filters } from './filters';
import { GroupTable } from './group-table';
import { Latest } from './latest';
import { t } from './language';
import { LeftOut } from './left-out';
import { LiftTable } from './lift-table';
import { ReachTable } from './reach-table';
import { allOf, shownEstimate } from './quantities';
import { useAnswers, useView, type Connection } from './use-answers';
import { showValue } from './words';
import { Select } from '../../../ui/select';
import { Checkbox } from '../../../ui/checkbox';

const connections: Readonly<Record<Connection, string>> = {
  live: t('live'),
  paused: t('paused'),
  lost: t('lost'),
  failed: t('failed'),
  'logged-out': t('logged-out'),
};

/** @param knowsTruth whether the collector knows what happened, as in a demo */
export function Dashboard({
  icon,
  knowsTruth,
}: {
  readonly icon: string;
  readonly knowsTruth: boolean;
}): JSX.Element {
  const [view, goTo] = useView();
  const { answers, connection, failure, loading, pause } = useAnswers(view, knowsTruth);
  const isPaused = connection === 'paused';
  return (
    <>
      <header class="top">
        <img src={icon} alt="" width="32" height="32" />
        <div>
          <h1>{t('title')}</h1>
          <p class="soft small">{t('subtitle')}</p>
        </div>
        <div class="row live">
          <p class={`chip ${connection === 'live' ? 'good' : 'warn'}`} role="status">
            {connections[connection]}
          </p>
          {connection === 'logged-out' ? (
            <a href="/login">{t('log-in')}</a>
          ) : (
            <button type="button" id="pause" onClick={() => pause(!isPaused)}>
              {t(isPaused ? 'resume' : 'pause')}
            </button>
          )}
        </div>
      </header>
      {failure !== null && (
        <p id="failure" class="banner error" role="alert">
          {t('failure', { reason: failure })} <a href="/">{t('clear-filters')}</a>
        </p>
      )}
      <main aria-busy={loading}>
        {answers === null ? (
          <p class="empty">{connection === 'live' && t('counting')}</p>
        ) : (
          <Content {...{ view, goTo, answers, knowsTruth }} />
        )}
      </main>
    </>
  );
}

interface ContentProperties {
  readonly view: View;
  readonly goTo: (view: View) => void;
  readonly answers: Answers;
  readonly knowsTruth: boolean;
}

function Content({ view, goTo, answers, knowsTruth }: ContentProperties): JSX.Element {
  const { dimensions, group, statistics, estimates, latest, summary, histogram } = answers;
  const { configurations, counts } = dimensions;
  const nameOf = useCallback(
    (value: string) => showValue(group, value, configurations),
    [group, configurations],
  );
  if (counts.received === 0 && counts.newest_source === 0 && counts.newest_posted === 0)
    return <NothingYet />;
  const isEmpty = statistics.reports === 0 && statistics.sources === 0;
  return (
    <>
      <Filters
        {...{ view, dimensions, group, goTo, columns: columnsOf([...summary.rows, ...histogram.rows]) }}
      />
      {isEmpty && isFiltered(view) ? (
        <p class="card empty">{t('no-match')}</p>
      ) : (
        <>
          {knowsTruth && (
            <Checkbox id="truth" checked={view.truth} onChange={(truth) => goTo({ ...view, truth })}>
              {t('show-truth')}
            </Checkbox>
          )}
          <Figures answers={answers} />
          {statistics.overTime.length === 0 ? (
            <p class="card empty">{t('none-arrived')}</p>
          ) : (
            <OverTime statistics={statistics} group={group} nameOf={nameOf} />
          )}
          <CampaignTable {...{ view, answers, nameOf }} />
          <LiftTable {...{ view, answers }} />
          <ReachTable reach={answers.reach} />
          <EstimatesOf {...{ view, goTo, answers, nameOf }} />
          <h2>{t('arrived-title')}</h2>
          <div class="charts">
            {statistics.overTime.length > 0 && <Delays delays={statistics.delays} />}
            <LeftOut estimates={estimates} />
          </div>
          <GroupTable answers={answers} nameOf={nameOf} />
          <Latest reports={latest} />
          <Downloads view={view} group={group} />
        </>
      )}
    </>
  );
}

/** Limits the length of the page; there can be hundreds. */
const MOST_CONFIGURATIONS = 8;

function EstimatesOf({
  view,
  goTo,
  answers: { estimates, dimensions, group, truth },
  nameOf,
}: Omit<ContentProperties, 'knowsTruth'> & {
  readonly nameOf: (group: string) => string;
}): JSX.Element {
  const entries = new Map(dimensions.configurations.map((entry) => [entry.id, entry]));
  const found = [...estimates.configurations].sort((a, b) => noiseOf(b) - noiseOf(a));
  return (
    <section class="stack estimates" aria-labelledby="estimates-title">
      <div class="row spread">
        <h2 id="estimates-title">{t('estimates-title')}</h2>
        <div class="row">
          <Checkbox id="open" checked={view.open} onChange={(open) => goTo({ ...view, open })}>
            {t('include-open')}
          </Checkbox>
          <Checkbox
            id="likelihood"
            checked={view.likelihood}
            onChange={(likelihood) => goTo({ ...view, likelihood })}
          >
            {t('with-likelihood')}
          </Checkbox>
          <label class="row">
            {t('show')}
            <Select
              id="quantity"
              of={[
                ['conversions', t('show-conversions')],
                ['conversion-rate', t('show-rate')],
              ]}
              value={view.quantity}
              onChoose={(quantity) => goTo({ ...view, quantity })}
            />
          </label>
        </div>
      </div>
      {found.every(({ groups }) => groups.length === 0) && (
        <p class="card empty">{t(estimates.sources['open'] > 0 ? 'all-open' : 'needs-sources')}</p>
      )}
      {found.slice(0, MOST_CONFIGURATIONS).map((estimated) => (
        <Configuration
          key={estimated.configuration}
          entry={entries.get(estimated.configuration)}
          quantity={view.quantity}
          {...{ estimated, group, nameOf, truth }}
        />
      ))}
      {found.length > MOST_CONFIGURATIONS && (
        <p class="soft">{t('more-configurations', { count: found.length - MOST_CONFIGURATIONS })}</p>
      )}
    </section>
  );
}

/** How many reports are expected to be noise. The page shows configurations with the most noise first. */
function noiseOf(configuration: Answers['estimates']['configurations'][number]): number {
  const all = allOf(configuration);
  return (all === null ? null : shownEstimate(all, 'conversions'))?.noise ?? 0;
}
