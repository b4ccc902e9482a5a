import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Source } from '../../../src/model/records';
import { positionOn, timelineBands, timelineEvents, type TimelineEvent } from '../explain/timeline';
import { rich, t } from '../../i18n';
import { useConversionsOf, useReportsOf } from '../lib/related';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { showDuration } from '../lib/words';
import { Card, Moment, NeedsDebugMode } from '../ui/basics';
import { linkTo } from '../ui/tags';

/** All that happened to a source on one line, and the same as a list. */
export function Timeline({ source }: { readonly source: Source }): JSX.Element | null {
  const { truth, overview } = useSession();
  const conversions = useConversionsOf(source.id);
  const reports = useReportsOf(source.id);
  if (conversions === undefined || reports === undefined) return null;
  const events = timelineEvents(conversions, reports, truth);
  return (
    <>
      <Card title={t('timeline_title')}>
        <Drawing source={source} events={events} now={overview.now} />
        <Legend truth={truth} />
        {!truth && <NeedsDebugMode what={t('timeline_hidden')} />}
      </Card>
      <Card title={t('timeline_in_words')}>
        <ol class="issues">
          <li>
            {rich(
              source.sourceType === 'navigation' ? 'timeline_click_registered' : 'timeline_view_registered',
              { when: <Moment time={source.time} now={overview.now} /> },
            )}
          </li>
          {events.map((event, index) => (
            <li key={index} data-kind={event.kind}>
              {rich('timeline_event', {
                when: <Moment time={event.time} now={overview.now} />,
                link: linkTo(routeTo(event.address)),
                event: event.words,
              })}
            </li>
          ))}
          <li>{rich('timeline_expiry', { when: <Moment time={source.expiryTime} now={overview.now} /> })}</li>
        </ol>
      </Card>
    </>
  );
}

const LEFT = 92;
const RIGHT = 34;
const BAND = 26;
const LANE = 38;

const lanes = ['conversions', 'reports', 'sending'] as const;
const laneTitles = {
  conversions: t('timeline_lane_conversions'),
  reports: t('timeline_lane_reports'),
  sending: t('timeline_lane_sending'),
} as const;

function Drawing({
  source,
  events,
  now,
}: {
  readonly source: Source;
  readonly events: readonly TimelineEvent[];
  readonly now: number;
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    if (holder.current === null) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(320, entry?.contentRect.width ?? 900)),
    );
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, []);
  const bands = timelineBands(source);
  const bandLanes = 1 + Math.max(0, ...bands.map(({ lane }) => lane));
  const lastEvent = Math.max(source.expiryTime, ...events.map(({ time }) => time));
  const end = Math.min(lastEvent, source.expiryTime + 30 * 86_400_000);
  const at = positionOn(source.time, end, width - LEFT - RIGHT);
  const x = (time: number): number => LEFT + at(time);
  const lanesTop = 12 + bandLanes * BAND;
  const axis = lanesTop + lanes.length * LANE + 6;
  const ticks = [...new Set(bands.map((band) => band.end))].filter((tick) => tick <= end);
  return (
    <div ref={holder} class="scroll-x" tabIndex={0} role="region" aria-label={t('timeline_label')}>
      <svg
        class="timeline"
        width={width}
        height={axis + 34}
        role="img"
        aria-label={t('timeline_drawing', { n: events.length })}
      >
        <text x={0} y={28} class="lane-title">
          {t('timeline_lane_windows')}
        </text>
        {bands.map(({ lane, start, end: bandEnd, words }, index) => (
          <g key={index}>
            <rect
              class={`band ${index % 2 === 0 ? 'even' : 'odd'}`}
              x={x(start)}
              y={10 + lane * BAND}
              width={Math.max(1, x(bandEnd) - x(start) - 2)}
              height={BAND - 4}
              rx={4}
            />
            {x(bandEnd) - x(start) > 74 && (
              <text class="band-title" x={x(start) + 8} y={26 + lane * BAND}>
                {words}
              </text>
            )}
            <title>{words}</title>
          </g>
        ))}
        {lanes.map((lane, index) => (
          <g key={lane}>
            <text x={0} y={lanesTop + index * LANE + 24} class="lane-title">
              {laneTitles[lane]}
            </text>
            <line
              class="lane"
              x1={LEFT}
              x2={width - RIGHT}
              y1={lanesTop + index * LANE + 20}
              y2={lanesTop + index * LANE + 20}
            />
          </g>
        ))}
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="tick" x1={x(tick)} x2={x(tick)} y1={8} y2={axis} />
            <text class="axis-title" x={x(tick)} y={axis + 16} text-anchor="middle">
              {showDuration(tick - source.time)}
            </text>
          </g>
        ))}
        <line class="tick" x1={LEFT} x2={LEFT} y1={8} y2={axis} />
        <text class="axis-title" x={LEFT} y={axis + 16} text-anchor="middle">
          {t(source.sourceType === 'navigation' ? 'timeline_click' : 'timeline_view')}
        </text>
        {now >= source.time && now <= end && (
          <g class="now">
            <line x1={x(now)} x2={x(now)} y1={4} y2={axis} />
            <text x={x(now)} y={axis + 30} text-anchor="middle">
              {t('now')}
            </text>
          </g>
        )}
        {events.map((event, index) => (
          <Mark
            key={index}
            event={event}
            x={x(event.time)}
            y={lanesTop + lanes.indexOf(event.lane) * LANE + 20}
          />
        ))}
      </svg>
    </div>
  );
}

/** The shape says as much as the colour. */
function Mark({
  event,
  x,
  y,
}: {
  readonly event: Pick<TimelineEvent, 'kind' | 'words'>;
  readonly x: number;
  readonly y: number;
}): JSX.Element {
  return (
    <g class={`mark ${event.kind}`} transform={`translate(${x} ${y})`}>
      <title>{event.words}</title>
      {shape(event.kind)}
    </g>
  );
}

function shape(kind: TimelineEvent['kind']): JSX.Element {
  switch (kind) {
    case 'credited':
      return <circle r={7} />;
    case 'dropped':
      return <path d="M-6 -6 L6 6 M6 -6 L-6 6" />;
    case 'true-report':
      return <rect x={-7} y={-7} width={14} height={14} rx={2} />;
    case 'fake-report':
      return <rect x={-6} y={-6} width={12} height={12} transform="rotate(45)" />;
    case 'replaced':
      return <rect x={-7} y={-7} width={14} height={14} rx={2} stroke-dasharray="3 2" />;
    case 'sent':
      return <path d="M-6 -6 L7 0 L-6 6 Z" />;
    case 'failed':
      return <path d="M-6 6 L6 6 L0 -6 Z" />;
  }
}

function Legend({ truth }: { readonly truth: boolean }): JSX.Element {
  const entries: readonly (readonly [TimelineEvent['kind'], string])[] = [
    ['credited', t('timeline_credited')],
    ['dropped', t('timeline_dropped')],
    ['true-report', truth ? t('timeline_true_report') : t('timeline_report')],
    ...(truth ? ([['fake-report', t('timeline_fake_report')]] as const) : []),
    ['replaced', t('timeline_replaced')],
    ['sent', t('timeline_sent')],
    ['failed', t('timeline_failed')],
  ];
  return (
    <p class="legend small soft">
      {entries.map(([kind, words]) => (
        <span key={kind}>
          <svg width="18" height="18" aria-hidden="true" class="timeline">
            <Mark event={{ kind, words }} x={9} y={9} />
          </svg>
          {words}
        </span>
      ))}
      <span>{t('timeline_scale')}</span>
    </p>
  );
}
