import type { JSX } from 'preact';
import type { Source } from '../../../../src/model/records';
import { timelineEvents, type TimelineEvent } from '../../explain/timeline';
import { rich, t } from '../../../i18n';
import { useTriggersOf, useReportsOf } from '../../state/related';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { Card, Moment, NeedsDebugMode } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { kindWords } from '../../explain/timeline-kinds';
import { Mark, TimelineDrawing } from './timeline-drawing';

/** Everything that happened to a source, as a line and as a list. */
export function Timeline({ source }: { readonly source: Source }): JSX.Element | null {
  const { truth, overview } = useSession();
  const triggers = useTriggersOf(source.id);
  const reports = useReportsOf(source.id);
  if (triggers === undefined || reports === undefined) return null;
  const events = timelineEvents(triggers, reports, truth);
  return (
    <>
      <Card title={t('timeline_title')}>
        <TimelineDrawing source={source} events={events} now={overview.now} />
        <Legend truth={truth} sending />
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

/** What the marks mean. @param sending whether attempts to send have marks */
export function Legend({
  truth,
  sending,
}: {
  readonly truth: boolean;
  readonly sending: boolean;
}): JSX.Element {
  const kinds: readonly TimelineEvent['kind'][] = [
    ...(['credited', 'dropped', 'true-report'] as const),
    ...(truth ? (['fake-report', 'replaced'] as const) : []),
    ...(sending ? (['sent', 'failed'] as const) : []),
  ];
  return (
    <p class="legend small soft">
      {kinds.map((kind) => (
        <span key={kind}>
          <svg width="18" height="18" aria-hidden="true" class="timeline">
            <Mark event={{ kind, words: kindWords(kind, truth) }} x={9} y={9} />
          </svg>
          {kindWords(kind, truth)}
        </span>
      ))}
      <span>{t('timeline_scale')}</span>
    </p>
  );
}
