import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { log } from '../../tables/log';
import { reports } from '../../tables/reports';
import { emptyWords } from '../../words/empty-words';
import { kindWords } from '../../explain/timeline-kinds';
import { bare, showDistance } from '../../words/words';
import { Card, Chip, Moment } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { useWidth } from '../../ui/use-width';
import { Legend } from '../records/timeline';
import { labelOf, toneOf } from './cells';
import { summaryOf, type Summary } from './drawn';
import { storyOf, type StoryRow } from './story';
import { StoryAxis, StoryLine } from './story-line';

const MOST = 8;

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
  const { holder, width } = useWidth();
  const scale = { longest: story.longest, width };
  const outcomeKey = truth ? 'exact' : 'outcome';
  return (
    <Card title={t('story_title')}>
      <div ref={holder} class="stack">
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
                    <InWords row={row} now={overview.now} truth={truth} />
                  ) : (
                    <StoryLine row={row} scale={scale} label={labelOfRow(row, truth)} truth={truth} />
                  )}
                </li>
              ))}
            </ol>
            {!inWords && (
              <>
                <StoryAxis scale={scale} />
                <Legend truth={truth} sending={false} />
              </>
            )}
          </>
        )}
      </div>
    </Card>
  );
}

/** What a row's picture says, for those who do not see it. */
function labelOfRow({ events }: StoryRow, truth: boolean): string {
  const { named, more } = summaryOf(events);
  const all = [...named.map(({ words }) => words), ...more.map((one) => moreWords(one, truth))];
  return all.join('; ') || t('story_nothing');
}

const moreWords = ({ kind, count }: Summary['more'][number], truth: boolean): string =>
  t('story_more', { n: count, kind: kindWords(kind, truth) });

function InWords({
  row: { sourceId, events },
  now,
  truth,
}: {
  readonly row: StoryRow;
  readonly now: number;
  readonly truth: boolean;
}): JSX.Element {
  const { named, more } = summaryOf(events);
  return (
    <ul class="issues">
      {named.map((event, index) => (
        <li key={index} data-kind={event.kind}>
          {rich('timeline_event', {
            when: <Moment time={event.time} now={now} />,
            link: linkTo(routeTo(event.address)),
            event: event.words,
          })}
        </li>
      ))}
      {more.map((one) => (
        <li key={one.kind} data-kind={one.kind}>
          <a href={routeTo(['sources', sourceId, 'timeline'])}>{moreWords(one, truth)}</a>
        </li>
      ))}
      {events.length === 0 && <li>{t('story_nothing')}</li>}
    </ul>
  );
}
