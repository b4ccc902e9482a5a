import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { parseSettings } from '../../../../formats/settings/parse-settings';
import { strictly } from '../../../../formats/codec/issues';
import { readJsonText } from '../../../../formats/codec/json-text';
import type { Overview } from '../../../messages';
import { download } from '../../tables/export';
import { askOverview, askSettings, changeSettings } from '../../state/ask';
import { t } from '../../../i18n';
import { words } from '../../../words';
import { textOfFile } from '../../data/file-text';
import { repeatedly } from '../../state/repeatedly';
import { messageOf } from '../../words/words';
import { presets, settingGroups, withoutDebugMode } from './entries';
import { Banner } from '../../ui/banner';
import { Card } from '../../ui/basics';
import { Locked } from '../../ui/locked';
import { ConsentNotice } from '../../ui/consent-notice';
import { ConsentCard } from './consent-card';
import { RulesEditor } from './rules-editor';
import { SettingField } from './setting-field';

const REFRESH = 2000;

/** Every setting with its meaning, range and default. An invalid value stays in its field and changes nothing. */
export function Options(): JSX.Element | null {
  const [state, setState] = useState<{ settings: Settings; overview: Overview } | null>(null);
  const [message, setMessage] = useState<{ text: string; isProblem: boolean } | null>(null);
  const refresh = useCallback(async () => {
    const [settings, overview] = await Promise.all([askSettings(), askOverview()]);
    setState({ settings, overview });
  }, []);
  useEffect(() => {
    refresh().catch((error: unknown) => setMessage({ text: messageOf(error), isProblem: true }));
    // Other pages may change settings and the clock. This page must show what is in force.
    return repeatedly(() => refresh().catch(() => undefined), REFRESH);
  }, [refresh]);
  if (state === null) return message === null ? null : <p class="banner error">{message.text}</p>;
  const { settings, overview } = state;
  const trial = overview.freeSettings === null ? null : overview.trial;
  const isFree = (path: string): boolean => overview.freeSettings?.includes(path.split('.')[0] ?? '') ?? true;
  const act = (action: () => Promise<unknown>): void => {
    action()
      .then(refresh)
      .catch((error: unknown) => setMessage({ text: messageOf(error), isProblem: true }));
  };

  /** @param change valid settings, as JSON for `parseSettings` */
  const change = (changed: Json, done: string): void => {
    changeSettings(changed as Partial<Settings>)
      .then(refresh)
      .then(() => setMessage({ text: done, isProblem: false }))
      .catch((error: unknown) => setMessage({ text: messageOf(error), isProblem: true }));
  };

  return (
    <main class="options">
      <header class="row spread">
        <h1 class="row">
          <img src="../icons/48.png" width="26" height="26" alt="" /> {t('options_title')}
        </h1>
        <a href="internals.html">{t('options_internals')}</a>
      </header>
      <ConsentNotice overview={overview} />
      <Banner overview={overview} />
      <Locked by={trial}>
        <Card title={t('options_presets')}>
          <div class="presets">
            {presets.map((preset) => (
              <div key={preset.title} class="stack">
                <button
                  type="button"
                  onClick={() =>
                    change(
                      preset.settings as unknown as Json,
                      t('options_preset_in_force', { preset: preset.title }),
                    )
                  }
                >
                  {preset.title}
                </button>
                <span class="soft small">{preset.meaning}</span>
              </div>
            ))}
          </div>
        </Card>
      </Locked>
      {settingGroups.map(({ title, entries }) => (
        <Card key={title} title={title}>
          {entries.map((entry) => (
            <Locked key={entry.path} by={isFree(entry.path) ? null : trial}>
              <SettingField
                entry={entry}
                settings={settings}
                onChange={(changed) => change(changed, t('options_saved', { setting: entry.title }))}
              />
            </Locked>
          ))}
        </Card>
      ))}
      <Locked by={trial}>
        <RulesEditor
          rules={settings.rules}
          onChange={(rules) => change({ rules: rules as unknown as Json }, t('options_rules_saved'))}
        />
        <Files
          settings={settings}
          onChange={change}
          onProblem={(text) => setMessage({ text, isProblem: true })}
        />
      </Locked>
      <ConsentCard overview={overview} act={act} />
      <p
        class={`banner message ${message?.isProblem === true ? 'error' : 'info'}`}
        role="status"
        id="message"
        hidden={message === null}
      >
        {message?.text}
      </p>
    </main>
  );
}

function Files({
  settings,
  onChange,
  onProblem,
}: {
  readonly settings: Settings;
  readonly onChange: (changed: Json, done: string) => void;
  readonly onProblem: (problem: string) => void;
}): JSX.Element {
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      const { value: json, problem } = readJsonText(await textOfFile(file));
      if (problem !== null)
        throw new Error(t('options_file_not_json', { problem: words.mistakeText(problem) }));
      // A file replaces all settings: those that it does not name get their defaults. Strict parsing stops an unrelated file from resetting
      // everything.
      const { value, errors } = strictly(parseSettings(json));
      if (value === null) onProblem(words.issuesText(errors));
      else {
        const { taken, leavesOutDebug } = withoutDebugMode(value, settings);
        onChange(
          taken as unknown as Json,
          t(leavesOutDebug ? 'options_file_without_debug' : 'options_file_in_force'),
        );
      }
    } catch (error) {
      onProblem(messageOf(error));
    }
  };
  return (
    <Card title={t('options_all')}>
      <div class="row">
        <button
          type="button"
          id="export-settings"
          onClick={() =>
            download('cointoss-settings.json', 'application/json', JSON.stringify(settings, null, 2))
          }
        >
          {t('options_export')}
        </button>
        <label for="import-settings">{t('options_import')}</label>
        <input
          type="file"
          id="import-settings"
          accept=".json,application/json"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
        <button
          type="button"
          class="danger"
          id="reset-settings"
          onClick={() => onChange(defaultSettings as unknown as Json, t('options_reset_done'))}
        >
          {t('options_reset')}
        </button>
      </div>
    </Card>
  );
}
