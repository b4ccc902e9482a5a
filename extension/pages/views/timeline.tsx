import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Source } from '../../../src/model/records';
import { positionOn, timelineBands, timelineEvents, type TimelineEvent } from '../explain/timeline';
import { useConversionsOf, useReportsOf } from '../lib/related';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { showDuration } from '../lib/words';
import { Card, Moment, NeedsDebugMode } from '../ui/basics';

/** All that happened to a source on one line, and the same as a list. */
export function Timeline({ source }: { readonly source: Source }): JSX.Element | null {
  const { truth, overview } = useSession();
  const conversions = useConversionsOf(source.id);
  const reports = useReportsOf(source.id);
  if (conversions === undefined || reports === undefined) return null;
  const events = timelineEvents(conversions, reports, truth);
  return (
    <>
      <Card title="From registration to expiry">
        <Drawing source={source} events={events} now={overview.now} />
        <Legend truth={truth} />
        {!truth && <NeedsDebugMode what="Which reports are fake stays hidden." />}
      </Card>
      <Card title="In words">
        <ol class="issues">
          <li>
            <Moment time={source.time} now={overview.now} />: the{' '}
            {source.sourceType === 'navigation' ? 'click' : 'impression'} was registered
          </li>
          {events.map((event, index) => (
            <li key={index} data-kind={event.kind}>
              <Moment time={event.time} now={overview.now} />:{' '}
              <a href={routeTo(event.address)}>{event.words}</a>
            </li>
          ))}
          <li>
            <Moment time={source.expiryTime} now={overview.now} />: the source expires
          </li>
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
const laneTitles = { conversions: 'Conversions', reports: 'Reports due', sending: 'Sending' } as const;

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
    <div ref={holder} class="scroll-x" tabIndex={0} role="region" aria-label="Timeline">
      <svg class="timeline" width={width} height={axis + 34} role="img" aria-label={describe(events)}>
        <text x={0} y={28} class="lane-title">
          Windows
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
          {source.sourceType === 'navigation' ? 'click' : 'view'}
        </text>
        {now >= source.time && now <= end && (
          <g class="now">
            <line x1={x(now)} x2={x(now)} y1={4} y2={axis} />
            <text x={x(now)} y={axis + 30} text-anchor="middle">
              now
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

const describe = (events: readonly TimelineEvent[]): string =>
  events.length === 0
    ? 'The report windows of the source; nothing has happened to it yet.'
    : `The report windows of the source with ${events.length} events, which the list below names.`;

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
    ['credited', 'conversion, credited'],
    ['dropped', 'conversion, no report'],
    ['true-report', truth ? 'true report due' : 'report due'],
    ...(truth ? ([['fake-report', 'fake report due']] as const) : []),
    ['replaced', 'replaced'],
    ['sent', 'sent'],
    ['failed', 'failed attempt'],
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
      <span>Early times are drawn wider.</span>
    </p>
  );
}
