import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { log } from '../../tables/log';
import { reports } from '../../tables/reports';
import { emptyWords } from '../../words/empty-words';
import { bare, showDistance, showDuration } from '../../words/words';
import { Card, Chip, Moment } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { Legend } from '../records/timeline';
import { Mark } from '../records/timeline-drawing';
import { labelOf, toneOf } from './cells';
import { placeOf, storyOf, type StoryEvent, type StoryRow } from './story';

const MOST = 8;
const MINUTE = 60_000;
const TICKS = [MINUTE, 60 * MINUTE, 1440 * MINUTE, 7 * 1440 * MINUTE, 30 * 1440 * MINUTE];
/** Of the width: ticks that are nearer to the next one have no room for their words. */
const APART = 0.2;
/** Of the width: marks that are nearer are drawn as one, with their number. */
const TOGETHER = 0.03;
const HEIGHT = 48;
const heights = { conversions: 12, reports: 36 } as const;

/** The newest impressions, each as a line with its conversions and reports; in words, the same as lists. */
export function WhatHappened(): JSX.Element {
  const { overview, site, truth } = useSession();
  const entries = useDataset(log);
  const rows = useDataset(reports);
  const [inWords, setInWords] = useState(false);
  const story = useMemo(
    () => storyOf({ log: entries.items.values(), reports: rows.items.values(), truth, site, most: MOST }),
    [entries, entries.version, rows, rows.version, truth, site],
  );
  const outcomeKey = truth ? 'exact' : 'outcome';
  return (
    <Card title={t('story_title')}>
      {story.rows.length === 0 ? (
        <p class="soft">
          {entries.isComplete
            ? emptyWords(overview, t('overview_nothing_latest'))
            : t('overview_reading_log')}
        </p>
      ) : (
        <>
          <p class="row spread">
            <span class="soft small">{t('story_what')}</span>
            <button
              type="button"
              id="story-words"
              aria-pressed={inWords}
              onClick={() => setInWords(!inWords)}
            >
              {t('timeline_in_words')}
            </button>
          </p>
          <ol class="story" id="story">
            {story.rows.map((row) => (
              <li key={row.sourceId}>
                <p class="row">
                  <a href={routeTo(['sources', row.sourceId])}>
                    {t('story_row', { what: row.what, page: bare(row.page) })}
                  </a>
                  <Chip tone={toneOf(log, outcomeKey)(row.outcome)}>
                    {labelOf(log, outcomeKey)(row.outcome)}
                  </Chip>
                  <span class="soft small">{showDistance(overview.now, row.time)}</span>
                </p>
                {inWords ? (
                  <InWords row={row} now={overview.now} />
                ) : (
                  <Line row={row} longest={story.longest} />
                )}
              </li>
            ))}
          </ol>
          {!inWords && (
            <>
              <Axis longest={story.longest} />
              <Legend truth={truth} sending={false} />
            </>
          )}
        </>
      )}
    </Card>
  );
}

const InWords = ({ row, now }: { readonly row: StoryRow; readonly now: number }): JSX.Element => (
  <ul class="issues">
    {row.events.map((event, index) => (
      <li key={index} data-kind={event.kind}>
        {rich('timeline_event', {
          when: <Moment time={event.time} now={now} />,
          link: linkTo(routeTo(event.address)),
          event: event.words,
        })}
      </li>
    ))}
    {row.events.length === 0 && <li>{t('story_nothing')}</li>}
  </ul>
);

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** The impression at the left; above the line its conversions, below it its reports, each with the line of its wait. */
function Line({ row, longest }: { readonly row: StoryRow; readonly longest: number }): JSX.Element {
  const at = (time: number): number => placeOf(time - row.time, longest);
  return (
    <svg
      class="timeline story-line"
      width="100%"
      height={HEIGHT}
      role="img"
      aria-label={row.events.map(({ words }) => words).join('; ') || t('story_nothing')}
    >
      <line class="lane" x1="0" x2="100%" y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {row.events.map((event, index) => (
        <line
          key={index}
          class={event.isWaiting ? 'wait waiting' : 'wait'}
          x1={percent(at(event.since))}
          x2={percent(at(event.time))}
          y1={event.lane === 'reports' && event.since > row.time ? heights.conversions : HEIGHT / 2}
          y2={heights[event.lane]}
        />
      ))}
      <svg class="overflowing" x="0" y={HEIGHT / 2}>
        <circle class="origin" r={5} />
      </svg>
      {together(row.events, at).map(({ event, count, place }, index) => (
        <svg key={index} class="overflowing" x={percent(place)} y={heights[event.lane]}>
          <Mark event={event} x={0} y={0} />
          {count > 1 && (
            <text x={place > 0.9 ? -12 : 12} y={4} text-anchor={place > 0.9 ? 'end' : 'start'}>
              × {count}
            </text>
          )}
        </svg>
      ))}
    </svg>
  );
}

interface Drawn {
  readonly event: StoryEvent;
  readonly count: number;
  readonly place: number;
}

/** Events of one kind at nearly one place are one mark. */
function together(events: readonly StoryEvent[], at: (time: number) => number): readonly Drawn[] {
  const drawn: Drawn[] = [];
  for (const event of events) {
    const place = at(event.time);
    const near = drawn.findIndex(
      (one) => one.event.kind === event.kind && Math.abs(one.place - place) < TOGETHER,
    );
    const known = drawn[near];
    if (known === undefined) drawn.push({ event, count: 1, place });
    else drawn[near] = { ...known, count: known.count + 1 };
  }
  return drawn;
}

function Axis({ longest }: { readonly longest: number }): JSX.Element {
  const shown = TICKS.filter((tick) => tick <= Math.max(MINUTE, longest)).reduceRight<readonly number[]>(
    (later, tick) =>
      later[0] === undefined || placeOf(later[0], longest) - placeOf(tick, longest) >= APART
        ? [tick, ...later]
        : later,
    [],
  );
  return (
    <svg class="timeline story-line" width="100%" height={18} aria-hidden="true">
      {shown.map((tick) => (
        <text
          key={tick}
          x={percent(placeOf(tick, longest))}
          y={13}
          text-anchor={placeOf(tick, longest) > 0.9 ? 'end' : 'middle'}
        >
          {showDuration(tick)}
        </text>
      ))}
    </svg>
  );
}
