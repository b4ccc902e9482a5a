import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Overview } from '../../messages';
import { days } from '../../../src/model/units';
import { columnIndex, type Cell, type Item, type TableDefinition } from '../tables/table';
import type { Tone } from '../words/tone';
import { log } from '../tables/log';
import { reports } from '../tables/reports';
import { accountsOf } from '../explain/accounts';
import { rich, t } from '../../i18n';
import { routeTo } from '../state/route';
import { useDataset, useSession } from '../state/session';
import { emptyWords } from '../words/empty-words';
import {
  bare,
  differenceWords,
  showDecimal,
  showDistance,
  showDuration,
  showExactTime,
  showNumber,
} from '../words/words';
import { Card, Chip, Moment, Origin } from '../ui/basics';
import { linkTo } from '../ui/tags';
import { AccountBar, useLatestSpends } from './tables/budget';

const SHOWN = 6;
const LATEST = 8;

/** What is switched on, what happened today, and what is due next. */
export function OverviewView(): JSX.Element {
  const { overview, site } = useSession();
  return (
    <>
      <h1>{t('nav_overview')}</h1>
      <Switches />
      {site === null && <Figures overview={overview} />}
      <div class="cards wide">
        <Latest />
        <div class="stack">
          <Due />
          <Today />
        </div>
        {site === null && <BudgetLeft />}
      </div>
    </>
  );
}

/** Counts for all sites. */
const Figures = ({ overview }: { readonly overview: Overview }): JSX.Element => (
  <div class="cards">
    <Figure title={t('overview_sources')} id="sources" address="#/sources">
      {showNumber(overview.sources)}
    </Figure>
    <Figure
      title={t('overview_pending')}
      id="pending"
      address="#/reports?is.status=waiting&is.status=retrying"
    >
      {showNumber(overview.pendingReports)}
    </Figure>
    <Figure title={t('overview_finished')} id="finished" address="#/reports?is.status=sent">
      {showNumber(overview.finishedReports)}
    </Figure>
    <Figure title={t('overview_next')} id="next" address="#/reports?sort=next_attempt&is.status=waiting">
      {overview.nextReportTime === null ? '–' : showDistance(overview.now, overview.nextReportTime)}
    </Figure>
  </div>
);

const Figure = ({
  title,
  id,
  address,
  children,
}: {
  readonly title: string;
  readonly id: string;
  readonly address: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <Card title={title} label>
    <p class="figure">
      <a href={address} id={id}>
        {children}
      </a>
    </p>
  </Card>
);

function Switches(): JSX.Element {
  const { overview, settings } = useSession();
  const { debug, paused, standing, clockAhead, differences } = overview;
  const recordsAhead = differences.find(({ id }) => id === 'records-ahead');
  const isRecording = standing === 'recording' && !paused;
  const onOff = (isOn: boolean): string => t(isOn ? 'overview_on' : 'overview_off');
  const switches: readonly (readonly [id: string, title: string, asInProduction: boolean, value: string])[] =
    [
      [
        'recording',
        t('overview_recording'),
        isRecording,
        isRecording || standing !== 'recording' ? onOff(isRecording) : t('overview_paused'),
      ],
      ['noise', t('overview_noise'), debug.noise, onOff(debug.noise)],
      ['delay', t('overview_delay'), debug.delay, onOff(debug.delay)],
      [
        'clock',
        t('overview_clock'),
        clockAhead === 0 && recordsAhead === undefined,
        clockAhead !== 0
          ? t('overview_clock_ahead', { duration: showDuration(clockAhead) })
          : recordsAhead === undefined
            ? t('overview_clock_real')
            : differenceWords(recordsAhead),
      ],
      [
        'seed',
        t('overview_seed'),
        debug.seed === null,
        debug.seed === null ? t('overview_no_seed') : t('overview_seed_quoted', { seed: debug.seed }),
      ],
      ['debug-mode', t('overview_debug'), !debug.enabled, onOff(debug.enabled)],
    ];
  return (
    <Card>
      <dl class="switches">
        {switches.map(([id, title, asInProduction, value]) => (
          <div key={id}>
            <dt>{title}</dt>
            <dd id={`switch-${id}`}>
              <Chip tone={asInProduction ? 'good' : 'warn'}>{value}</Chip>
            </dd>
          </div>
        ))}
        <div>
          <dt>{t('overview_now')}</dt>
          <dd id="clock">{showExactTime(overview.now)}</dd>
        </div>
        <div class="wide">
          <dt>{t('overview_collector')}</dt>
          <dd>
            {settings.collector === null ? t('overview_no_collector') : <Origin of={settings.collector} />}
          </dd>
        </div>
      </dl>
      {settings.pausedSites.length > 0 && (
        <p class="soft small">
          {t('overview_paused_on', { sites: settings.pausedSites.map(bare).join(', ') })}
        </p>
      )}
    </Card>
  );
}

const cellOf = <Row,>(
  { columns }: TableDefinition<Row>,
  key: string,
): ((item: Item) => string | number | null) => {
  const index = columnIndex(columns, key);
  return ({ cells }) => cells[index] ?? null;
};

const labelOf = <Row,>({ columns }: TableDefinition<Row>, key: string): ((cell: Cell) => string) =>
  columns[columnIndex(columns, key)]?.label ?? String;

const toneOf = <Row,>({ columns }: TableDefinition<Row>, key: string): ((cell: Cell) => Tone | undefined) =>
  columns[columnIndex(columns, key)]?.tone ?? (() => undefined);

/** Today's registrations by outcome, as bars. */
function Today(): JSX.Element {
  const { overview, site, truth } = useSession();
  const dataset = useDataset(log);
  const outcomeKey = truth ? 'exact' : 'outcome';
  const { now } = overview;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const counts = useMemo(() => {
    const [time, what, outcome] = ['time', 'what', outcomeKey].map((key) => cellOf(log, key));
    const found = new Map<string, { what: string; outcome: string; count: number }>();
    for (const item of dataset.items.values()) {
      const at = Number(time?.(item));
      // A record can be later than now: the clock was turned forward for it, and back since.
      if (at < midnight || at > now || (site !== null && !item.sites.includes(site))) continue;
      const key = `${String(what?.(item))}: ${String(outcome?.(item))}`;
      const known = found.get(key);
      if (known !== undefined) known.count += 1;
      else found.set(key, { what: String(what?.(item)), outcome: String(outcome?.(item)), count: 1 });
    }
    return [...found.values()].sort((a, b) => b.count - a.count);
  }, [dataset, dataset.version, now, midnight, site, outcomeKey]);
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <Card title={t('overview_today')}>
      {counts.length === 0 ? (
        <p class="soft">
          {dataset.isComplete ? emptyWords(overview, t('overview_nothing_today')) : t('overview_reading_log')}
        </p>
      ) : (
        <div class="bars">
          {counts.slice(0, SHOWN + 2).map(({ what, outcome, count }) => (
            <a
              key={`${what} ${outcome}`}
              href={`#/log?${new URLSearchParams({ 'is.what': what, [`is.${outcomeKey}`]: outcome }).toString()}`}
            >
              <span>
                {t('overview_outcome', {
                  what: labelOf(log, 'what')(what),
                  outcome: labelOf(log, outcomeKey)(outcome),
                })}
              </span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <span class="number">{showNumber(count)}</span>
            </a>
          ))}
        </div>
      )}
    </Card>
  );
}

/** The newest entries of the log, each with what became of it. */
function Latest(): JSX.Element {
  const { overview, site, truth } = useSession();
  const dataset = useDataset(log);
  const outcomeKey = truth ? 'exact' : 'outcome';
  const latest = useMemo(
    () =>
      [...dataset.items.values()]
        .filter((item) => site === null || item.sites.includes(site))
        .sort((a, b) => b.id - a.id)
        .slice(0, LATEST),
    [dataset, dataset.version, site],
  );
  const [what, outcome, page, time] = ['what', outcomeKey, 'page', 'time'].map((key) => cellOf(log, key));
  return (
    <Card title={t('overview_latest')}>
      {latest.length === 0 ? (
        <p class="soft">
          {dataset.isComplete
            ? emptyWords(overview, t('overview_nothing_latest'))
            : t('overview_reading_log')}
        </p>
      ) : (
        <ol class="latest-entries" id="latest">
          {latest.map((item) => (
            <li key={item.id}>
              <a href={routeTo(['log', item.id])}>
                {t('popup_entry', { what: labelOf(log, 'what')(what?.(item) ?? null), id: item.id })}
              </a>
              <Chip tone={toneOf(log, outcomeKey)(outcome?.(item) ?? null)}>
                {labelOf(log, outcomeKey)(outcome?.(item) ?? null)}
              </Chip>
              <span class="soft small">
                {bare(String(page?.(item) ?? ''))}, {showDistance(overview.now, Number(time?.(item)))}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Due(): JSX.Element {
  const { overview, site } = useSession();
  const dataset = useDataset(reports);
  const next = cellOf(reports, 'next_attempt');
  const destination = cellOf(reports, 'destination');
  const due = useMemo(
    () =>
      [...dataset.items.values()]
        .filter((item) => next(item) !== null && (site === null || item.sites.includes(site)))
        .sort((a, b) => Number(next(a)) - Number(next(b)))
        .slice(0, SHOWN),
    [dataset, dataset.version, site],
  );
  return (
    <Card title={t('overview_due')}>
      {due.length === 0 ? (
        <p class="soft">{t(dataset.isComplete ? 'overview_nothing_due' : 'overview_reading')}</p>
      ) : (
        <ol class="issues">
          {due.map((item) => (
            <li key={item.id}>
              {rich('overview_report', {
                id: item.id,
                link: linkTo(routeTo(['reports', item.id])),
                destination: bare(String(destination(item) ?? '')),
                when: <Moment time={Number(next(item))} now={overview.now} />,
              })}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** What the latest privacy units may still spend. */
function BudgetLeft(): JSX.Element {
  const { overview, settings } = useSession();
  const { spends } = useLatestSpends();
  const { epsilon, period } = settings.budget;
  const accounts = useMemo(() => accountsOf(spends, settings.budget), [spends, settings.budget]).filter(
    ({ spend }) => spend.period + days(period) > overview.now,
  );
  return (
    <Card title={t('overview_budget')}>
      <p class="soft" id="budget-left">
        {accounts.length === 0
          ? t('overview_budget_unspent', { limit: epsilon === null ? 'none' : showDecimal(epsilon) })
          : epsilon === null
            ? t('overview_budget_unlimited')
            : t('overview_budget_left', { left: Math.min(...accounts.map(({ left }) => left ?? epsilon)) })}
      </p>
      <div class="budget-accounts">
        {accounts.slice(0, 3).map((account) => (
          <AccountBar key={account.spend.id} account={account} budget={settings.budget} />
        ))}
      </div>
      <p class="small">
        <a href="#/budget">{t('overview_budget_lines')}</a>
      </p>
    </Card>
  );
}
