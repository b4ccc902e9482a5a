import type { JSX } from 'preact';
import { t } from '../../i18n';
import { showExactTime } from '../words/words';
import type { OpenedFile } from '../data/snapshot/open-file';

/** Says which file is open, and for a scenario whether its replay sent what the file states. */
export const OpenFileBanner = ({
  file: { snapshot, replayed },
  onClose,
}: {
  readonly file: OpenedFile;
  readonly onClose: () => void;
}): JSX.Element => (
  <>
    <p class="banner info row spread" id="open-banner">
      <span>
        {replayed === null
          ? t('app_file_open', {
              time: showExactTime(snapshot.time),
              truth: snapshot.truth ? 'with' : 'without',
            })
          : t('app_scenario_open', {
              reports: replayed.reports,
              outcome: replayed.isCompared ? (replayed.difference === null ? 'same' : 'other') : 'unknown',
            })}
      </span>
      <button type="button" onClick={onClose}>
        {t('app_close_file')}
      </button>
    </p>
    {replayed?.difference != null && (
      <p class="banner error break" id="difference">
        {t('app_scenario_differs', {
          expected: replayed.difference.expected ?? 'none',
          sent: replayed.difference.sent ?? 'none',
        })}
      </p>
    )}
  </>
);
