import type { JSX } from 'preact';
import type { SourceRegistration } from '../../../../src/model/registration';
import { t } from '../../../i18n';
import { withWindowEnds, type Draft } from '../../explain/workbench';
import { allOf } from '../../words/words';
import { Card } from '../../ui/basics';
import { durationOf, WindowBar } from '../../ui/window-bar';

/** The report windows of the draft, to be dragged. If its trigger data differ in windows, those of the first are shown. */
export function WorkbenchWindows({
  draft,
  source,
  onChange,
}: {
  readonly draft: Draft;
  readonly source: SourceRegistration;
  readonly onChange: (draft: Draft) => void;
}): JSX.Element | null {
  const windows = source.triggerSpecs[0]?.windows;
  if (windows === undefined) return null;
  return (
    <Card title={t('workbench_windows')}>
      <p class="small soft">{t('windows_what')}</p>
      <WindowBar
        start={windows.start}
        ends={windows.ends}
        expiry={source.expiry}
        onChange={(ends) =>
          onChange(
            withWindowEnds(
              draft,
              windows.start / 1000,
              ends.map((end) => end / 1000),
            ),
          )
        }
      />
      <p id="window-ends">{t('windows_are', { ends: allOf(windows.ends.map(durationOf)) })}</p>
    </Card>
  );
}
