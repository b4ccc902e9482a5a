import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { defaultSettings } from '../../formats/settings/settings';
import { language } from '../i18n';
import { snapshotReader } from '../pages/data/reader';
import { snapshotOverview } from '../pages/data/snapshot-overview';
import { useAct } from '../pages/state/use-act';
import type { OpenedFile } from '../pages/data/snapshot/open-file';
import { noTables, type Snapshot } from '../pages/data/snapshot/snapshot';
import { OpenFileBanner } from '../pages/ui/open-file-banner';
import { Frame } from '../pages/views/frame';
import type { View } from '../pages/views/view';
import { choose, languages, type Language } from './languages';
import { toolViews } from './views';

/** Until a file is opened. The site records nothing itself. */
const nothing: Snapshot = {
  time: Date.now(),
  clockAhead: 0,
  truth: true,
  settings: defaultSettings,
  tables: noTables,
};

const nothingToRefresh = (): Promise<void> => Promise.resolve();

/** The extension's pages without the extension: tools, and what an opened file holds. */
export function Site(): JSX.Element {
  const [file, setFile] = useState<OpenedFile | null>(null);
  const [fileViews, setFileViews] = useState<readonly View[]>([]);
  const { act, problem, setProblem } = useAct(nothingToRefresh);
  const snapshot = file?.snapshot ?? nothing;
  const reader = useMemo(() => snapshotReader(snapshot), [snapshot]);
  const overview = useMemo(() => snapshotOverview(snapshot), [snapshot]);
  const open = (opened: OpenedFile | null): void =>
    act(async () => {
      if (opened !== null) setFileViews((await import('./file-views')).fileViews);
      setFile(opened);
      location.hash = opened === null ? '#/data' : '#/overview';
    });
  return (
    <Frame
      session={{
        reader,
        overview,
        settings: snapshot.settings,
        snapshot,
        open,
        truth: snapshot.truth,
        site: null,
        tab: null,
        act,
      }}
      views={file === null ? toolViews : [...toolViews, ...fileViews]}
      problem={problem}
      setProblem={setProblem}
      icon="icons/48.png"
      foot={<Languages />}
      below={file !== null && <OpenFileBanner file={file} onClose={() => open(null)} />}
    />
  );
}

/** A button for each language but the current one. */
const Languages = (): JSX.Element => (
  <>
    {(Object.entries(languages) as [Language, string][])
      .filter(([tag]) => tag !== language)
      .map(([tag, name]) => (
        <button key={tag} type="button" class="plain" lang={tag} onClick={() => choose(tag)}>
          {name}
        </button>
      ))}
  </>
);
