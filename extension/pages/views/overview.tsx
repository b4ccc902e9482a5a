import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { columnIndex, type Item, type TableDefinition } from '../data/table';
import { log } from '../data/tables/log';
import { reports } from '../data/tables/reports';
import { routeTo } from '../lib/route';
import { useDataset, useSession } from '../lib/session';
import { bare, showDistance, showDuration, showExactTime, showNumber } from '../lib/words';
import { Card, Chip, Moment } from '../ui/basics';

const SHOWN = 6;

/** How Cointoss stands: what is switched on, what happened today, what is due next. */
export function OverviewView(): JSX.Element {
  const { overview } = useSession();
  return (
    <>
      <h1>Overview</h1>
      <Switches />
      <div class="cards">
        <Figure title="Sources kept" id="sources" address="#/sources">
          {showNumber(overview.sources)}
        </Figure>
        <Figure title="Reports waiting" id="pending" address="#/reports?is.status=waiting&is.status=retrying">
          {showNumber(overview.pendingReports)}
        </Figure>
        <Figure title="Reports finished" id="finished" address="#/reports?is.status=sent">
          {showNumber(overview.finishedReports)}
        </Figure>
        <Figure title="Next report leaves" id="next" address="#/reports?sort=next_attempt&is.status=waiting">
          {overview.nextReportTime === null ? '–' : showDistance(overview.now, overview.nextReportTime)}
        </Figure>
      </div>
      <div class="cards wide">
        <Today />
        <Due />
      </div>
    </>
  );
}

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
  const { debug, paused, standing, clockAhead } = overview;
  const recording = standing !== 'recording' ? 'off' : paused ? 'paused' : 'on';
  const switches: readonly (readonly [string, boolean, string])[] = [
    ['Recording', recording === 'on', recording],
    ['Noise', debug.noise, debug.noise ? 'on' : 'off'],
    ['Delay', debug.delay, debug.delay ? 'on' : 'off'],
    ['Clock', clockAhead === 0, clockAhead === 0 ? 'real' : `${showDuration(clockAhead)} ahead`],
    ['Seed', debug.seed === null, debug.seed === null ? 'none' : `“${debug.seed}”`],
    ['Debug mode', !debug.enabled, debug.enabled ? 'on' : 'off'],
  ];
  return (
    <Card>
      <dl class="switches">
        {switches.map(([title, asInProduction, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd id={`switch-${title.toLowerCase().replace(' ', '-')}`}>
              <Chip tone={asInProduction ? 'good' : 'warn'}>{value}</Chip>
            </dd>
          </div>
        ))}
        <div>
          <dt>Now</dt>
          <dd id="clock">{showExactTime(overview.now)}</dd>
        </div>
        <div>
          <dt>Reports go to</dt>
          <dd>{settings.collector === null ? 'their reporting origins' : bare(settings.collector)}</dd>
        </div>
      </dl>
      {settings.pausedSites.length > 0 && (
        <p class="soft small">Paused on {settings.pausedSites.map(bare).join(', ')}.</p>
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

/** What the log says of today, by outcome, as bars. */
function Today(): JSX.Element {
  const { overview, site, truth } = useSession();
  const dataset = useDataset(log);
  const outcomeKey = truth ? 'exact' : 'outcome';
  const midnight = new Date(overview.now).setHours(0, 0, 0, 0);
  const counts = useMemo(() => {
    const [time, what, outcome] = ['time', 'what', outcomeKey].map((key) => cellOf(log, key));
    const found = new Map<string, { what: string; outcome: string; count: number }>();
    for (const item of dataset.items.values()) {
      if (Number(time?.(item)) < midnight || (site !== null && !item.sites.includes(site))) continue;
      const key = `${String(what?.(item))}: ${String(outcome?.(item))}`;
      const known = found.get(key);
      if (known !== undefined) known.count += 1;
      else found.set(key, { what: String(what?.(item)), outcome: String(outcome?.(item)), count: 1 });
    }
    return [...found.values()].sort((a, b) => b.count - a.count);
  }, [dataset, dataset.version, midnight, site, outcomeKey]);
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <Card title="Today">
      {counts.length === 0 ? (
        <p class="soft">
          {dataset.isComplete
            ? 'Nothing was registered today. Browse a page that registers sources; it shows here at once.'
            : 'Reading the log …'}
        </p>
      ) : (
        <div class="bars">
          {counts.slice(0, SHOWN + 2).map(({ what, outcome, count }) => (
            <a
              key={`${what} ${outcome}`}
              href={`#/log?${new URLSearchParams({ 'is.what': what, [`is.${outcomeKey}`]: outcome }).toString()}`}
            >
              <span>
                {what}, {outcome}
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

/** The reports that leave next. */
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
    <Card title="Due next">
      {due.length === 0 ? (
        <p class="soft">
          {dataset.isComplete ? 'No report waits. One is made after a conversion, or by noise.' : 'Reading …'}
        </p>
      ) : (
        <ol class="issues">
          {due.map((item) => (
            <li key={item.id}>
              <a href={routeTo(['reports', item.id])}>Report {item.id}</a>,{' '}
              {bare(String(destination(item) ?? ''))}, <Moment time={Number(next(item))} now={overview.now} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
