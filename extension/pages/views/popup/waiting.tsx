import type { JSX } from 'preact';
import type { Overview } from '../../../messages';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { showDistance, showTime } from '../../words/words';
import type { Sent } from '../../data/read-report';
import { Link } from './link';

/** How many reports wait, when the next leaves, and those that were sent. */
export function Waiting({
  overview,
  nextReport,
  sent,
}: {
  readonly overview: Overview;
  /** The id of the next report that leaves. */
  readonly nextReport: number | null;
  readonly sent: Sent;
}): JSX.Element {
  const next = nextWords(overview);
  return (
    <section class="card">
      <div class="row spread">
        <h2 class="label">{t('popup_waiting')}</h2>
        <p>
          <strong id="pending">{t('popup_pending', { n: overview.pendingReports })}</strong>
        </p>
      </div>
      {next !== null && (
        <p class="soft" id="next">
          {next}
        </p>
      )}
      {nextReport !== null && (
        <p class="small">
          <Link to={`internals.html${routeTo(['reports', nextReport])}`}>{t('popup_look')}</Link>
        </p>
      )}
      {sent.count > 0 && (
        <p class="small" id="sent">
          {rich('popup_sent', {
            n: sent.count,
            more: sent.isAll ? 'no' : 'yes',
            link: (parts) => (
              <Link
                to={`internals.html${sent.only === null ? '#/reports?is.status=sent' : routeTo(['reports', sent.only])}`}
              >
                {parts}
              </Link>
            ),
          })}
        </p>
      )}
    </section>
  );
}

/** Null when no report is pending and none can follow; the notice above says why. */
function nextWords({ nextReportTime, now, consentStatus, paused }: Overview): string | null {
  if (nextReportTime === null) return consentStatus === 'recording' && !paused ? t('popup_none_next') : null;
  return nextReportTime <= now
    ? t('popup_next_leaving')
    : t('popup_next', { when: showDistance(now, nextReportTime), time: showTime(nextReportTime) });
}
