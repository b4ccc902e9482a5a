import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { parseSettings } from '../../../../formats/settings/parse-settings';
import { t } from '../../../i18n';
import { words } from '../../../words';
import { settingsWith, valueAt, type Control, type SettingEntry } from './entries';
import { Select } from '../../../../ui/select';

interface Properties {
  readonly entry: SettingEntry;
  readonly settings: Settings;
  /** Called with valid settings that name only this one. */
  readonly onChange: (changed: Json) => void;
}

/** One setting: its control, meaning, range and default. */
export function SettingField({ entry, settings, onChange }: Properties): JSX.Element {
  const { path, title, meaning, range } = entry;
  const [problem, setProblem] = useState('');
  const value = valueAt(settings, path);
  const set = (changed: Json): void => {
    const document = settingsWith(path, changed);
    const { errors } = parseSettings(document, settings);
    setProblem(words.issuesText(errors));
    if (errors.length === 0) onChange(document);
  };
  const id = `setting-${path}`;
  const isSwitch = entry.control.kind === 'switch';
  return (
    <div class={isSwitch ? 'setting switch' : 'setting'}>
      <label for={id}>{title}</label>
      <EntryControl id={id} entry={entry} value={value} isInvalid={problem !== ''} onChange={set} />
      <div class="stack about" id={`${id}-about`}>
        <p>{meaning}</p>
        <p class="soft small">
          {t('settings_range_and_default', {
            range,
            value: inWords(entry.control, valueAt(defaultSettings, path)),
          })}
        </p>
        <p class="bad" role="alert" id={`${id}-problem`} hidden={problem === ''}>
          {problem}
        </p>
      </div>
    </div>
  );
}

function inWords(control: Control, value: Json): string {
  if (typeof value === 'boolean') return value ? t('settings_on') : t('settings_off');
  if (value === null || (Array.isArray(value) && value.length === 0)) return t('settings_none');
  if (control.kind === 'choice')
    return control.choices.find(([choice]) => choice === value)?.[1] ?? textOf(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Invalid JSON stays text, which the parser refuses. */
function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const textOf = (value: Json): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

interface ControlProperties {
  readonly id: string;
  readonly entry: SettingEntry;
  readonly value: Json;
  readonly isInvalid: boolean;
  readonly onChange: (value: Json) => void;
}

function EntryControl({
  id,
  entry: { control },
  value,
  isInvalid,
  onChange,
}: ControlProperties): JSX.Element {
  const common = { id, 'aria-describedby': `${id}-about` };
  switch (control.kind) {
    case 'switch':
      return (
        <input
          type="checkbox"
          {...common}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'choice':
      return <Select {...common} of={control.choices} value={textOf(value)} onChoose={onChange} />;
    case 'text':
      return (
        <Typed
          {...common}
          placeholder={control.placeholder}
          isInvalid={isInvalid}
          text={textOf(value)}
          onChange={(text) => onChange(text === '' ? null : text)}
        />
      );
    case 'number':
      return (
        <Typed
          {...common}
          placeholder={control.placeholder}
          isInvalid={isInvalid}
          text={textOf(value)}
          // Text that is not a number goes to the parser, which refuses it.
          onChange={(text) => onChange(text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text))}
        />
      );
    case 'json':
      return (
        <div class="stack">
          <select
            aria-label={t('settings_put_in_example')}
            value=""
            onChange={({ currentTarget }) =>
              onChange(control.examples[Number(currentTarget.value)]?.[1] ?? value)
            }
          >
            <option value="">{t('settings_examples')}</option>
            {control.examples.map(([title], index) => (
              <option key={title} value={String(index)}>
                {title}
              </option>
            ))}
          </select>
          <Typed
            {...common}
            placeholder={t('settings_json')}
            isInvalid={isInvalid}
            isLong
            text={JSON.stringify(value, null, 1)}
            onChange={(text) => onChange(jsonOr(text))}
          />
        </div>
      );
    case 'lines':
      return (
        <Typed
          {...common}
          placeholder={control.placeholder}
          isInvalid={isInvalid}
          isLong
          text={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(text) =>
            onChange(
              text
                .split('\n')
                .map((line) => line.trim())
                .filter((line) => line !== ''),
            )
          }
        />
      );
  }
}

/** The text takes effect on Enter, or when the field loses focus. */
function Typed({
  text,
  isLong = false,
  isInvalid,
  onChange,
  ...attributes
}: {
  readonly id: string;
  readonly placeholder: string;
  readonly 'aria-describedby': string;
  readonly text: string;
  readonly isLong?: boolean;
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const common = {
    ...attributes,
    value: typed,
    'aria-invalid': isInvalid,
    spellcheck: false,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value.trim()),
  };
  return isLong ? <textarea rows={3} {...common} /> : <input {...common} />;
}
