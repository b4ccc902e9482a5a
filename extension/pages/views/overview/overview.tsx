import type { ComponentChildren, JSX } from 'preact';
import type { Overview } from '../../../messages';
import { t } from '../../../i18n';
import { useSession } from '../../state/session';
import {
  bare,
  differenceWords,
  showDistance,
  showDuration,
  showExactTime,
  showNumber,
} from '../../words/words';
import { Card, Chip, Origin } from '../../ui/basics';
import { BudgetLeft } from './budget-left';
import { Due } from './due';
import { Latest } from './latest';
import { Today } from './today';
import { WhatHappened } from './what-happened';

/** What is switched on, what happened today, and what is due next. */
export function OverviewView(): JSX.Element {
  const { overview, site, truth } = useSession();
  return (
    <>
      <h1>{t('nav_overview')}</h1>
      <Switches />
      {site === null && <Figures overview={overview} truth={truth} />}
      <WhatHappened />
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

/** Counts for all sites. Reports that conversions replaced are finished, too, so without the truth their number is left out. */
const Figures = ({
  overview,
  truth,
}: {
  readonly overview: Overview;
  readonly truth: boolean;
}): JSX.Element => (
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
    {truth && (
      <Figure title={t('overview_finished')} id="finished" address="#/reports?is.status=sent">
        {showNumber(overview.finishedReports)}
      </Figure>
    )}
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
  const { debug, paused, consentStatus, clockAhead, differences } = overview;
  const recordsAhead = differences.find(({ id }) => id === 'records-ahead');
  const isRecording = consentStatus === 'recording' && !paused;
  const onOff = (isOn: boolean): string => t(isOn ? 'settings_on' : 'settings_off');
  const switches: readonly (readonly [id: string, title: string, asInProduction: boolean, value: string])[] =
    [
      [
        'recording',
        t('settings_recording'),
        isRecording,
        isRecording || consentStatus !== 'recording' ? onOff(isRecording) : t('overview_paused'),
      ],
      ['noise', t('settings_debug_noise_title'), debug.noise, onOff(debug.noise)],
      ['delay', t('settings_debug_delay_title'), debug.delay, onOff(debug.delay)],
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
        t('settings_debug_seed_title'),
        debug.seed === null,
        debug.seed === null ? t('overview_no_seed') : t('overview_seed_quoted', { seed: debug.seed }),
      ],
      ['debug-mode', t('settings_debug_enabled_title'), !debug.enabled, onOff(debug.enabled)],
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
          <dt>{t('nav_group_now')}</dt>
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
