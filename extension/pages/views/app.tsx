import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Settings } from '../../../formats/settings/settings';
import type { Overview } from '../../messages';
import { snapshotOverview } from '../data/snapshot-overview';
import { snapshotReader, type Reader } from '../data/reader';
import { askOverview, askSettings } from '../state/ask';
import { t } from '../../i18n';
import { Coalesced } from '../state/coalesced';
import { repeatedly } from '../state/repeatedly';
import { useAct } from '../state/use-act';
import { messageOf } from '../words/words';
import type { OpenedFile } from '../data/snapshot/open-file';
import { OpenFileBanner } from '../ui/open-file-banner';
import { ConsentNotice } from '../ui/consent-notice';
import { Frame } from './frame';
import { views } from './navigation';

const REFRESH = 2000;
/** In ms: how long after a refresh the next change shows. While it is hidden, a page need not cost much. */
const QUIET = { visible: 250, hidden: 2000 };

interface State {
  readonly site: string | null;
  readonly overview: Overview;
  readonly settings: Settings;
}

/** The internals page: everything on this device, or in an opened file. When the site changes, the views stay and follow. */
export function App({
  reader: live,
  site,
  tab,
}: {
  readonly reader: Reader;
  readonly site: string | null;
  readonly tab: number | null;
}): JSX.Element | null {
  const [state, setState] = useState<State | null>(null);
  const latestSite = useRef(site);
  latestSite.current = site;
  const [file, setFile] = useState<OpenedFile | null>(null);

  const refresh = useCallback(async (): Promise<void> => {
    const [overview, settings] = await Promise.all([askOverview(site), askSettings()]);
    if (site === latestSite.current) setState({ site, overview, settings });
  }, [site]);
  const { act, problem, setProblem } = useAct(refresh);
  useEffect(() => {
    act(() => Promise.resolve());
    const changed = new Coalesced(
      () => refresh().catch(() => undefined),
      () => QUIET[document.visibilityState],
    );
    const stop = live.onChange(() => changed.ask());
    const rest = repeatedly(() => refresh().catch((error: unknown) => setProblem(messageOf(error))), REFRESH);
    return () => {
      stop();
      changed.stop();
      rest();
    };
  }, [act, live, refresh]);

  const reader = useMemo(() => (file === null ? live : snapshotReader(file.snapshot)), [file, live]);
  if (state === null) return problem === '' ? null : <p class="banner error">{problem}</p>;

  const snapshot = file?.snapshot ?? null;
  const overview = snapshot === null ? state.overview : snapshotOverview(snapshot);
  const open = (opened: OpenedFile | null): void => {
    setFile(opened);
    location.hash = opened === null ? '#/data' : '#/overview';
  };
  return (
    <Frame
      session={{
        reader,
        overview,
        settings: snapshot?.settings ?? state.settings,
        snapshot,
        open,
        truth: snapshot === null ? overview.debugEnabled : snapshot.truth,
        // What is shown of a site changes at once.
        site: state.site,
        tab,
        act,
      }}
      views={views}
      problem={problem}
      setProblem={setProblem}
      icon="../icons/48.png"
      foot={
        <a href="options.html" target="_blank" rel="noreferrer">
          {t('popup_options')}
        </a>
      }
      above={snapshot === null && <ConsentNotice overview={overview} />}
      below={file !== null && <OpenFileBanner file={file} onClose={() => open(null)} />}
    />
  );
}
