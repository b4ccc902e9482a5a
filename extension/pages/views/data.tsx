import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../../../src/model/recording-rule';
import { siteOfUrl } from '../../../src/registration/origin';
import { parseSnapshot, snapshotToJson } from '../../../src/snapshot/snapshot';
import { withoutTruth } from '../../../src/snapshot/without-truth';
import type { ClearScope } from '../../messages';
import { download } from '../data/export';
import { takeSnapshot } from '../data/take-snapshot';
import { ask } from '../lib/ask';
import { rich, t } from '../lib/i18n';
import { useSession } from '../lib/session';
import { bare, messageOf } from '../lib/words';
import { Card } from '../ui/basics';

/** How long an erasure can be taken back. */
const UNDO = 10_000;

/** Export of everything, import to look at, and erasing. */
export function DataView(): JSX.Element {
  const { snapshot } = useSession();
  return (
    <>
      <h1>Export, import, erase</h1>
      {snapshot === null && <Export />}
      {snapshot === null && <SaveScenario />}
      <Import />
      {snapshot === null && <Erase />}
    </>
  );
}

function Export(): JSX.Element {
  const { overview, settings, act } = useSession();
  const [withTruth, setWithTruth] = useState(false);
  const save = async (): Promise<void> => {
    const everything = await takeSnapshot(overview, settings);
    const snapshot = withTruth ? everything : withoutTruth(everything);
    download('cointoss-state.json', 'application/json', JSON.stringify(snapshotToJson(snapshot)));
  };
  return (
    <Card title="Everything, for a bug report">
      <p>
        One file with the settings, sources, reports, limits and the log. Whoever gets it can open it on this
        page. A single table is exported from its own view, as filtered.
      </p>
      <label class="setting-line">
        <input
          type="checkbox"
          id="with-truth"
          checked={withTruth}
          onChange={({ currentTarget }) => setWithTruth(currentTarget.checked)}
        />
        <span>
          <strong>With the truth</strong>{' '}
          <span class="soft">
            Conversions, true states and the seed are left out unless you tick this. With them, the file tells
            everything that the noise protects.
          </span>
        </span>
      </label>
      <div class="row">
        <button type="button" id="export-state" onClick={() => act(save)}>
          Save the file
        </button>
      </div>
    </Card>
  );
}

/** What happened here as a file that replays: by `cointoss replay`, or in another browser. */
function SaveScenario(): JSX.Element {
  const { act } = useSession();
  const [debug, setDebug] = useState(false);
  const save = async (): Promise<void> =>
    download(
      'cointoss-scenario.json',
      'application/json',
      `${JSON.stringify(await ask({ kind: 'export-scenario', debug }), null, 2)}\n`,
    );
  return (
    <Card title={t('scenario_title')}>
      <p>{rich('scenario_meaning', { code: (parts) => <code>{parts}</code> })}</p>
      <label class="setting-line">
        <input
          type="checkbox"
          id="scenario-debug"
          checked={debug}
          onChange={({ currentTarget }) => setDebug(currentTarget.checked)}
        />
        <span>
          <strong>{t('scenario_debug')}</strong> <span class="soft">{t('scenario_debug_meaning')}</span>
        </span>
      </label>
      <div class="row">
        <button type="button" id="export-scenario" onClick={() => act(save)}>
          {t('scenario_save')}
        </button>
      </div>
    </Card>
  );
}

function Import(): JSX.Element {
  const { open, snapshot } = useSession();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      const { value, errors } = parseSnapshot(JSON.parse(await file.text()) as Json);
      setProblems(errors.map(({ path, message }) => `${path} ${message}`.trim()).slice(0, 5));
      if (value !== null) open(value);
    } catch (error) {
      setProblems([`must be JSON: ${messageOf(error)}`]);
    }
  };
  return (
    <Card title="Open a file">
      <p>Shows a saved file in this page, read-only. Nothing on this device changes.</p>
      <div class="row">
        <label for="open-file">File</label>
        <input
          type="file"
          id="open-file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
        {snapshot !== null && (
          <button type="button" onClick={() => open(null)}>
            Close the open file
          </button>
        )}
      </div>
      {problems.length > 0 && (
        <div class="banner error" role="alert" id="file-problem">
          The file cannot be opened: {problems.join('; ')}
        </div>
      )}
    </Card>
  );
}

function Erase(): JSX.Element {
  const { act, notify } = useSession();
  const erase = (scope: ClearScope | undefined, words: string): void =>
    act(async () => {
      await ask(scope === undefined ? { kind: 'clear' } : { kind: 'clear', scope });
      notify({
        text: `${words} erased.`,
        action: { label: 'Undo', run: () => ask({ kind: 'undo-clear' }) },
        lasts: UNDO,
      });
    });
  return (
    <Card title="Erase">
      <p class="soft">
        What is erased is gone from the disk at once, reports that wait included; for ten seconds it can be
        brought back.
      </p>
      <EraseSite onErase={(site) => erase({ kind: 'site', site }, `What concerns ${bare(site)} is`)} />
      <EraseTime onErase={(from, to) => erase({ kind: 'time', from, to }, 'What happened in that time is')} />
      <div class="row">
        <button
          type="button"
          class="danger"
          id="clear"
          onClick={() => erase(undefined, 'Everything recorded is')}
        >
          Erase everything recorded
        </button>
      </div>
    </Card>
  );
}

function EraseSite({ onErase }: { readonly onErase: (site: string) => void }): JSX.Element {
  const [text, setText] = useState('');
  const site = siteOfUrl(text.includes('://') ? text : `https://${text}`);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (site !== null) onErase(site);
      }}
    >
      <label for="erase-site">One site</label>
      <input
        id="erase-site"
        placeholder="https://shop.example"
        value={text}
        aria-invalid={text !== '' && site === null}
        onInput={({ currentTarget }) => setText(currentTarget.value.trim())}
      />
      <button type="submit" disabled={text === '' || site === null}>
        Erase
      </button>
      <span class="soft">As source site, destination or reporting site.</span>
    </form>
  );
}

function EraseTime({ onErase }: { readonly onErase: (from: number, to: number) => void }): JSX.Element {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [start, end] = [new Date(from).getTime(), new Date(to).getTime()];
  const isValid = start <= end;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onErase(start, end);
      }}
    >
      <label for="erase-from">From</label>
      <input
        id="erase-from"
        type="datetime-local"
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <label for="erase-to">to</label>
      <input
        id="erase-to"
        type="datetime-local"
        value={to}
        onInput={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <button type="submit" disabled={!isValid}>
        Erase
      </button>
    </form>
  );
}
