import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ErasingScope } from '../../erasing/erase-part';
import { snapshotToJson } from '../data/snapshot/snapshot-json';
import { withoutTruth } from '../data/snapshot/without-truth';
import { download } from '../tables/export';
import { sitesMeant } from '../data/site-input';
import { takeSnapshot } from '../data/take-snapshot';
import { ask } from '../state/ask';
import { rich, t } from '../../i18n';
import { useSession } from '../state/session';
import { bare } from '../words/words';
import { Card } from '../ui/basics';
import { OpenFile } from './open-file';
import { Checkbox } from '../../../ui/checkbox';

/** In ms: how long an erasure can be undone. */
const UNDO = 10_000;

/** Export of everything, import to look at, and erasing. */
export function DataView(): JSX.Element {
  const { snapshot } = useSession();
  return (
    <>
      <h1>{t('nav_data')}</h1>
      {snapshot === null && <Export />}
      {snapshot === null && <SaveScenario />}
      <OpenFile title={t('data_open')} />
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
    <Card title={t('data_export')}>
      <p>{t('data_export_what')}</p>
      <Checkbox class="setting-line" id="with-truth" checked={withTruth} onChange={setWithTruth}>
        <span>
          <strong>{t('data_with_truth')}</strong> <span class="soft">{t('data_with_truth_what')}</span>
        </span>
      </Checkbox>
      <div class="row">
        <button type="button" id="export-state" onClick={() => act(save)}>
          {t('data_save')}
        </button>
      </div>
    </Card>
  );
}

/** Saves what was recorded as a scenario, which `cointoss replay` or another browser can replay. */
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
      <Checkbox class="setting-line" id="scenario-debug" checked={debug} onChange={setDebug}>
        <span>
          <strong>{t('scenario_debug')}</strong> <span class="soft">{t('scenario_debug_meaning')}</span>
        </span>
      </Checkbox>
      <div class="row">
        <button type="button" id="export-scenario" onClick={() => act(save)}>
          {t('scenario_save')}
        </button>
      </div>
    </Card>
  );
}

function Erase(): JSX.Element {
  const { act, notify } = useSession();
  const erase = (scope: ErasingScope | undefined, text: string, nothing: string | null = null): void =>
    act(async () => {
      const { erased } = await ask(scope === undefined ? { kind: 'clear' } : { kind: 'clear', scope });
      if (erased === 0 && nothing !== null) {
        notify({ text: nothing, lasts: UNDO });
        return;
      }
      notify({
        text,
        action: { label: t('data_undo'), run: () => ask({ kind: 'undo-clear' }) },
        lasts: UNDO,
      });
    });
  return (
    <Card title={t('data_erase')}>
      <p class="soft">{t('data_erase_what')}</p>
      <ul class="soft">
        <li>{t('data_erase_traces')}</li>
        <li>{t('data_erase_reports')}</li>
        <li>{t('data_erase_budget')}</li>
      </ul>
      <EraseSite
        onErase={(sites) => {
          const site = bare(sites[0] ?? '');
          erase({ kind: 'sites', sites }, t('data_site_erased', { site }), t('data_site_nothing', { site }));
        }}
      />
      <EraseTime onErase={(from, to) => erase({ kind: 'time', from, to }, t('data_time_erased'))} />
      <div class="row">
        <button
          type="button"
          class="danger"
          id="clear"
          onClick={() => erase(undefined, t('data_everything_erased'))}
        >
          {t('data_erase_everything')}
        </button>
      </div>
    </Card>
  );
}

function EraseSite({ onErase }: { readonly onErase: (sites: readonly string[]) => void }): JSX.Element {
  const [text, setText] = useState('');
  const sites = sitesMeant(text);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (sites.length > 0) onErase(sites);
      }}
    >
      <label for="erase-site">{t('data_one_site')}</label>
      <input
        id="erase-site"
        placeholder={t('data_example')}
        value={text}
        aria-invalid={text !== '' && sites.length === 0}
        onInput={({ currentTarget }) => setText(currentTarget.value.trim())}
      />
      <button type="submit" disabled={sites.length === 0}>
        {t('data_erase')}
      </button>
      <span class="soft">{t('data_one_site_what')}</span>
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
      <label for="erase-from">{t('data_from')}</label>
      <input
        id="erase-from"
        type="datetime-local"
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <label for="erase-to">{t('data_to')}</label>
      <input
        id="erase-to"
        type="datetime-local"
        value={to}
        onInput={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <button type="submit" disabled={!isValid}>
        {t('data_erase')}
      </button>
    </form>
  );
}
