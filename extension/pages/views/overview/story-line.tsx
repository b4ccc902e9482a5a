import type { JSX } from 'preact';
import { kindWords } from '../../explain/timeline-kinds';
import { showDuration } from '../../words/words';
import { Mark } from '../records/timeline-drawing';
import { groupsOf, waitsOf, type Group } from './drawn';
import { placeOf, type StoryEvent, type StoryRow } from './story';

const MINUTE = 60_000;
const TICKS = [MINUTE, 60 * MINUTE, 1440 * MINUTE, 7 * 1440 * MINUTE, 30 * 1440 * MINUTE];
/** In px: at the left of the line, half a mark; at its right, half a mark and a number. */
const MARGIN = { left: 12, right: 60 } as const;
/** In px: from the line to the nearest marks, and from these to the marks of another kind. */
const [NEAR, APART] = [12, 20];
/** In px: ticks that are nearer to the next one have no room for their words. */
const TICK = 90;

/** What all rows share. */
export interface Scale {
  /** In ms. */
  readonly longest: number;
  /** In px. */
  readonly width: number;
}

const placeIn =
  ({ longest, width }: Scale) =>
  (elapsed: number): number =>
    MARGIN.left + placeOf(elapsed, longest) * Math.max(0, width - MARGIN.left - MARGIN.right);

/** The impression at the left; above the line its conversions, below it its reports, each with the line of its wait. */
export function StoryLine({
  row: { time: start, events },
  scale,
  label,
  truth,
}: {
  readonly row: StoryRow;
  readonly scale: Scale;
  readonly label: string;
  readonly truth: boolean;
}): JSX.Element {
  const place = placeIn(scale);
  const at = (time: number): number => place(time - start);
  const groups = groupsOf(events, at);
  const { middle, height, heightOf } = heightsOf(events);
  const beginning = ({ lane, since }: StoryEvent): number =>
    lane === 'reports' && since > start ? heightOf('credited') : middle;
  return (
    <svg class="timeline story-line" width={scale.width} height={height} role="img" aria-label={label}>
      <line class="lane" x1={MARGIN.left} x2={scale.width} y1={middle} y2={middle} />
      {groups.flatMap((group, index) =>
        waitsOf(group, at).map(({ from, event }, which) => (
          <line
            key={`${index} ${which}`}
            class={event.isWaiting ? 'wait waiting' : 'wait'}
            x1={from}
            x2={group.place}
            y1={beginning(event)}
            y2={heightOf(group.kind)}
          />
        )),
      )}
      <circle class="origin" cx={MARGIN.left} cy={middle} r={5} />
      {groups.map((group, index) => (
        <GroupMark key={index} group={group} y={heightOf(group.kind)} truth={truth} />
      ))}
    </svg>
  );
}

function GroupMark({
  group: { kind, place, events },
  y,
  truth,
}: {
  readonly group: Group;
  readonly y: number;
  readonly truth: boolean;
}): JSX.Element {
  const count = events.length;
  const words = count === 1 ? (events[0]?.words ?? '') : `${count} × ${kindWords(kind, truth)}`;
  return (
    <>
      <Mark event={{ kind, words }} x={place} y={y} />
      {count > 1 && (
        <text x={place + NEAR} y={y + 4}>
          × {count}
        </text>
      )}
    </>
  );
}

interface Heights {
  readonly middle: number;
  readonly height: number;
  readonly heightOf: (kind: StoryEvent['kind']) => number;
}

/** In px. Each kind has a height, so that marks of two kinds do not touch. */
function heightsOf(events: readonly StoryEvent[]): Heights {
  const kindsIn = (lane: StoryEvent['lane']): readonly StoryEvent['kind'][] => [
    ...new Set(events.filter((event) => event.lane === lane).map(({ kind }) => kind)),
  ];
  const above = kindsIn('conversions');
  const below = kindsIn('reports');
  const middle = 2 * NEAR + APART * Math.max(0, above.length - 1);
  return {
    middle,
    height: middle + 2 * NEAR + APART * Math.max(0, below.length - 1),
    heightOf: (kind) =>
      below.includes(kind)
        ? middle + NEAR + APART * below.indexOf(kind)
        : middle - NEAR - APART * Math.max(0, above.indexOf(kind)),
  };
}

/** The times after the impression. */
export function StoryAxis({ scale }: { readonly scale: Scale }): JSX.Element {
  const place = placeIn(scale);
  const shown = TICKS.filter((tick) => tick <= Math.max(MINUTE, scale.longest)).reduceRight<
    readonly number[]
  >(
    (later, tick) =>
      later[0] === undefined || place(later[0]) - place(tick) >= TICK ? [tick, ...later] : later,
    [],
  );
  return (
    <svg class="timeline story-line" width={scale.width} height={18} aria-hidden="true">
      {shown.map((tick) => (
        <text key={tick} x={place(tick)} y={13} text-anchor="middle">
          {showDuration(tick)}
        </text>
      ))}
    </svg>
  );
}
