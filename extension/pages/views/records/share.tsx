import type { ComponentChildren, JSX } from 'preact';
import { recordScenario } from '../../../../analysis/scenario/record';
import { chromiumLimits } from '../../../../src/model/limits';
import { t } from '../../../i18n';
import { download } from '../../tables/export';
import { benchToParameters, type Draft } from '../../explain/workbench';
import { packFile } from '../../data/file-link';
import { recordedNow } from '../../state/recorded-now';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { onlyAbout, type Subject } from '../../data/snapshot/only-about';
import type { Snapshot } from '../../data/snapshot/snapshot';
import { snapshotToJson } from '../../data/snapshot/snapshot-json';
import { CopyButton } from '../../ui/copy-button';

/** A link of the site works everywhere; the extension's own addresses differ on every device. */
const isSite = /^https?:$/.test(location.protocol);

/** Shares one thing: as Markdown, as a file that the lab opens, as a scenario, and from the site as a link. */
export function Share({
  subject,
  name,
  markdown,
  isTruth = false,
  children,
}: {
  readonly subject: Subject;
  /** Of the files, without their type. */
  readonly name: string;
  readonly markdown: () => string;
  /** Whether nothing of it is left without the truth. */
  readonly isTruth?: boolean;
  /** What else can be done with it. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const session = useSession();
  const { act, notify, truth } = session;
  const part = async (): Promise<Snapshot> => recordedNow(session, (all) => onlyAbout(all, subject));
  const file = async (): Promise<string> => JSON.stringify(snapshotToJson(await part()));
  const saveScenario = async (): Promise<void> => {
    const { tables, settings } = await part();
    const scenario = recordScenario(tables, { settings, limits: chromiumLimits, debug: false });
    download(`${name}-scenario.json`, 'application/json', `${JSON.stringify(scenario, null, 2)}\n`);
  };
  const link = async (): Promise<string | null> => {
    const packed = await packFile(await file());
    if (packed !== null)
      return new URL(routeTo(['data'], new URLSearchParams({ file: packed })), location.href).href;
    notify({ text: t('share_too_long'), lasts: 5000 });
    return null;
  };
  return (
    <div class="row">
      {children}
      <CopyButton
        id="copy-markdown"
        label={t('share_markdown')}
        text={markdown}
        copied={t('share_markdown_copied')}
      />
      {(truth || !isTruth) && (
        <button
          type="button"
          id="save-file"
          onClick={() => act(async () => download(`${name}.json`, 'application/json', await file()))}
        >
          {t('share_file')}
        </button>
      )}
      {truth && (
        <button type="button" id="save-scenario" onClick={() => act(saveScenario)}>
          {t('scenario_save')}
        </button>
      )}
      {isSite && (
        <CopyButton id="copy-link" label={t('workbench_share')} text={link} copied={t('workbench_copied')} />
      )}
    </div>
  );
}

/** Opens a registration in the workbench. */
export const OpenInWorkbench = ({ as, text }: Draft): JSX.Element => (
  <a
    class="button"
    id="open-in-workbench"
    href={routeTo(['workbench'], benchToParameters({ draft: { as, text }, kept: null }))}
  >
    {t('share_workbench')}
  </a>
);
