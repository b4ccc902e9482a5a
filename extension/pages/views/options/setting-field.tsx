import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import type { Issue } from '../../../../formats/codec/mistakes';
import { defaultSettings, type Settings } from '../../../../formats/settings/settings';
import { parseSettings } from '../../../../formats/settings/parse-settings';
import { t } from '../../../i18n';
import { words } from '../../../words';
import { settingsWith, valueAt, valueInWords, type SettingEntry } from './entries';
import { hasGrouped, sentAfter, withoutEmptyEntries } from './entered';
import { ShapeEditor } from './shape-editor';
import { asText } from '../../words/typed-numbers';
import { TypedLines, TypedNumber, TypedText } from './typed';
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
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const stored = JSON.stringify(valueAt(settings, path));
  /** What was entered: also what is not valid, which is not stored. */
  const [value, setValue] = useState<Json>(() => JSON.parse(stored) as Json);
  const sent = useRef<readonly string[]>([]);
  useEffect(() => {
    const later = sentAfter(sent.current, stored);
    sent.current = later ?? [];
    // What was entered after it was sent stays.
    if (later !== null) return;
    setValue(JSON.parse(stored) as Json);
    setIssues([]);
  }, [stored]);
  const set = (changed: Json): void => {
    const { value: parsed, errors } = parseSettings(settingsWith(path, changed), settings);
    setIssues(errors);
    if (parsed === null || errors.length > 0) {
      setValue(changed);
      return;
    }
    const entered = valueAt(parsed, path);
    setValue(entered);
    const wanted = withoutEmptyEntries(entered);
    const text = JSON.stringify(wanted);
    if (text === stored && sent.current.length === 0) return;
    sent.current = [...sent.current, text];
    onChange(settingsWith(path, wanted));
  };
  const problem = [
    words.issuesText(issues),
    issues.length > 0 && hasGrouped(value) ? t('settings_no_separators') : '',
  ]
    .filter((text) => text !== '')
    .join('. ');
  const id = `setting-${path}`;
  const { control } = entry;
  const isSwitch = control.kind === 'switch';
  const isList = control.kind === 'shape' && control.shape.kind === 'list';
  return (
    <div class={isSwitch ? 'setting switch' : 'setting'}>
      {isList ? (
        <span class="label-text" id={`${id}-title`}>
          {title}
        </span>
      ) : (
        <label for={id}>{title}</label>
      )}
      <EntryControl id={id} entry={entry} value={value} issues={issues} onChange={set} />
      <div class="stack about" id={`${id}-about`}>
        <p>{meaning}</p>
        <p class="soft small">
          {t('settings_range_and_default', {
            range,
            value: valueInWords(entry.control, valueAt(defaultSettings, path)),
          })}
        </p>
        <p class="bad" role="alert" id={`${id}-problem`} hidden={problem === ''}>
          {problem}
        </p>
      </div>
    </div>
  );
}

interface ControlProperties {
  readonly id: string;
  readonly entry: SettingEntry;
  readonly value: Json;
  readonly issues: readonly Issue[];
  readonly onChange: (value: Json) => void;
}

function EntryControl({
  id,
  entry: { control, path },
  value,
  issues,
  onChange,
}: ControlProperties): JSX.Element {
  const about = `${id}-about`;
  const common = { id, 'aria-describedby': about };
  const field = { ...common, isInvalid: issues.length > 0, value, onChange };
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
      return <Select {...common} of={control.choices} value={asText(value)} onChoose={onChange} />;
    case 'text':
      return <TypedText {...field} placeholder={control.placeholder} />;
    case 'number':
      return <TypedNumber {...field} placeholder={control.placeholder} />;
    case 'lines':
      return <TypedLines {...field} placeholder={control.placeholder} of="text" />;
    case 'shape':
      return <ShapeEditor {...{ id, about, path, value, issues, onChange }} {...control} />;
  }
}
