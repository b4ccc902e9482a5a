import type { JSX } from 'preact';
import type { Source } from '../../../../src/model/records';
import {
  positionOn,
  rowsOf,
  timelineBands,
  type TimelineBand,
  type TimelineEvent,
} from '../../explain/timeline';
import { t } from '../../../i18n';
import { showDuration } from '../../words/words';
import { textWidth } from '../../ui/text-width';
import { useWidth } from '../../ui/use-width';
import { greatest } from '../../../../numeric/extremes';

const LEFT = 92;
const RIGHT = 34;
const BAND = 26;
const LANE = 38;
/** Of a mark, with the space around it; also the distance of the rows in a lane. */
const MARK = 20;
/** Narrower drawings are scrolled. */
const NARROWEST = 320;
/** Between the words at the axis. */
const GAP = 6;
/** In ms. Later events are left out of the scale, because they would squeeze all others together. */
const LONGEST_AFTER_EXPIRY = 30 * 86_400_000;

const lanes = ['conversions', 'reports', 'sending'] as const;
const laneTitles = {
  conversions: t('source_conversions'),
  reports: t('timeline_lane_reports'),
  sending: t('timeline_lane_sending'),
} as const;

interface Properties {
  readonly source: Source;
  readonly events: readonly TimelineEvent[];
  readonly now: number;
}

/** In pixels. */
interface Layout {
  readonly x: (time: number) => number;
  /** The time at the right edge. */
  readonly end: number;
  /** Of the lines of the lanes. */
  readonly lines: Readonly<Record<Lane, number>>;
  readonly marks: readonly { readonly event: TimelineEvent; readonly x: number; readonly y: number }[];
  readonly axis: number;
}

type Lane = (typeof lanes)[number];

function layoutOf(
  source: Source,
  bands: readonly TimelineBand[],
  events: readonly TimelineEvent[],
  width: number,
): Layout {
  const bandLanes = 1 + greatest([0, ...bands.map(({ lane }) => lane)]);
  const lastEvent = greatest([source.expiryTime, ...events.map(({ time }) => time)]);
  const end = Math.min(lastEvent, source.expiryTime + LONGEST_AFTER_EXPIRY);
  const at = positionOn(source.time, end, width - LEFT - RIGHT);
  const x = (time: number): number => LEFT + at(time);
  let top = 12 + bandLanes * BAND;
  const marks: Layout['marks'][number][] = [];
  const lines = { conversions: 0, reports: 0, sending: 0 };
  for (const lane of lanes) {
    const inLane = events.filter((event) => event.lane === lane);
    const rows = rowsOf(
      inLane.map(({ time }) => x(time)),
      MARK,
    );
    lines[lane] = top + 20;
    inLane.forEach((event, index) => {
      marks.push({ event, x: x(event.time), y: top + 20 + MARK * (rows[index] ?? 0) });
    });
    top += LANE + MARK * greatest([0, ...rows]);
  }
  return { x, end, lines, marks, axis: top + 6 };
}

/** The report windows of a source, and below them its events in lanes. */
export function TimelineDrawing({ source, events, now }: Properties): JSX.Element {
  const { holder, width: room } = useWidth();
  const width = Math.max(NARROWEST, room);
  const bands = timelineBands(source);
  const layout = layoutOf(source, bands, events, width);
  const { lines, marks, axis } = layout;
  return (
    <div ref={holder} class="scroll-x" tabIndex={0} role="region" aria-label={t('source_tab_timeline')}>
      <svg
        class="timeline"
        width={width}
        height={axis + 38}
        role="img"
        aria-label={t('timeline_drawing', { n: events.length })}
      >
        <Bands bands={bands} layout={layout} />
        <Lanes lines={lines} width={width} />
        <Axis source={source} bands={bands} layout={layout} now={now} />
        {marks.map(({ event, x, y }, index) => (
          <Mark key={index} event={event} x={x} y={y} />
        ))}
      </svg>
    </div>
  );
}

function Bands({
  bands,
  layout: { x },
}: {
  readonly bands: readonly TimelineBand[];
  readonly layout: Layout;
}): JSX.Element {
  return (
    <>
      <text x={0} y={28} class="lane-title">
        {t('timeline_lane_windows')}
      </text>
      {bands.map(({ lane, start, end, words }, index) => (
        <g key={index}>
          <rect
            class={`band ${index % 2 === 0 ? 'even' : 'odd'}`}
            x={x(start)}
            y={10 + lane * BAND}
            width={Math.max(1, x(end) - x(start) - 2)}
            height={BAND - 4}
            rx={4}
          />
          {x(end) - x(start) > textWidth(words) + 14 && (
            <text class="band-title" x={x(start) + 8} y={26 + lane * BAND}>
              {words}
            </text>
          )}
          <title>{words}</title>
        </g>
      ))}
    </>
  );
}

function Lanes({ lines, width }: { readonly lines: Layout['lines']; readonly width: number }): JSX.Element {
  return (
    <>
      {lanes.map((lane) => (
        <g key={lane}>
          <text x={0} y={lines[lane] + 4} class="lane-title">
            {laneTitles[lane]}
          </text>
          <line class="lane" x1={LEFT} x2={width - RIGHT} y1={lines[lane]} y2={lines[lane]} />
        </g>
      ))}
    </>
  );
}

interface Tick {
  readonly at: number;
  readonly words: string;
}

/** The ticks, from left to right, whose words do not run into those before. */
function apart(ticks: readonly Tick[]): readonly Tick[] {
  let end = -Infinity;
  return ticks.filter(({ at, words }) => {
    const half = textWidth(words) / 2;
    if (at - half < end) return false;
    end = at + half + GAP;
    return true;
  });
}

function Axis({
  source,
  bands,
  layout: { x, end, axis },
  now,
}: {
  readonly source: Source;
  readonly bands: readonly TimelineBand[];
  readonly layout: Layout;
  readonly now: number;
}): JSX.Element {
  const ends = [...new Set(bands.map((band) => band.end))]
    .filter((tick) => tick <= end)
    .sort((a, b) => a - b);
  const ticks = [
    {
      at: LEFT,
      words: t(source.sourceType === 'navigation' ? 'tables_what_click' : 'tables_what_impression'),
    },
    ...ends.map((tick) => ({ at: x(tick), words: showDuration(tick - source.time) })),
  ];
  return (
    <>
      {ticks.map(({ at }) => (
        <line key={at} class="tick" x1={at} x2={at} y1={8} y2={axis} />
      ))}
      {apart(ticks).map(({ at, words }) => (
        <text key={at} class="axis-title" x={at} y={axis + 16} text-anchor="middle">
          {words}
        </text>
      ))}
      {now >= source.time && now <= end && (
        <g class="now">
          <line x1={x(now)} x2={x(now)} y1={4} y2={axis} />
          <text x={x(now)} y={axis + 33} text-anchor="middle">
            {t('now')}
          </text>
        </g>
      )}
    </>
  );
}

/** Its shape carries the same meaning as its colour. */
export function Mark({
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
