import type { JSX } from 'preact';
import { isJsonObject, type Json } from '../../../../src/model/json';
import type { Issue } from '../../../../formats/codec/mistakes';
import { Select } from '../../../../ui/select';
import { t } from '../../../i18n';
import { kindIn, ofKind, type Shape } from './shape';
import { choiceNames, fieldNames, kindName } from './shape-words';
import { asText } from '../../words/typed-numbers';
import { TypedLines, TypedNumber, TypedText } from './typed';

interface Properties<Of extends Shape = Shape> {
  readonly shape: Of;
  readonly id: string;
  /** Of the value in the settings, as issues name it. */
  readonly path: string;
  readonly value: Json;
  /** What a new kind, entry or value begins with. */
  readonly examples: readonly Json[];
  readonly issues: readonly Issue[];
  /** The id of the text that explains the setting. */
  readonly about: string;
  readonly onChange: (value: Json) => void;
}

type Editor<Kind extends Shape['kind']> = (
  properties: Properties<Extract<Shape, { readonly kind: Kind }>>,
) => JSX.Element;

/** The fields of a value of any shape. */
export function ShapeEditor({ shape, ...rest }: Properties): JSX.Element {
  const { id, about, path, value, issues, onChange } = rest;
  const field = { id, 'aria-describedby': about, isInvalid: isWrong(path, issues), value, onChange };
  switch (shape.kind) {
    case 'text':
      return <TypedText {...field} onChange={(text) => onChange(text ?? '')} />;
    case 'number':
      return <TypedNumber {...field} />;
    case 'lines':
      return <TypedLines {...field} of={shape.of} />;
    case 'choice':
      return (
        <Select
          id={id}
          aria-describedby={about}
          of={shape.choices.map((choice) => [choice, choiceNames[choice] ?? choice])}
          value={asText(value)}
          onChoose={onChange}
        />
      );
    case 'record':
      return <RecordEditor shape={shape} {...rest} />;
    case 'union':
      return <UnionEditor shape={shape} {...rest} />;
    case 'optional':
      return <OptionalEditor shape={shape} {...rest} />;
    case 'list':
      return <ListEditor shape={shape} {...rest} />;
  }
}

const isWrong = (path: string, issues: readonly Issue[]): boolean =>
  issues.some(
    (issue) => issue.path === path || issue.path.startsWith(`${path}.`) || issue.path.startsWith(`${path}[`),
  );

const RecordEditor: Editor<'record'> = ({ shape, value, id, path, onChange, ...rest }) => {
  const record = isJsonObject(value) ? value : {};
  return (
    <div class="shape">
      {[...shape.fields].map(([name, of]) => (
        <div key={name} class="shape-field">
          <label for={`${id}.${name}`}>{fieldNames[name] ?? name}</label>
          <ShapeEditor
            {...rest}
            shape={of}
            id={`${id}.${name}`}
            path={`${path}.${name}`}
            value={record[name] ?? null}
            onChange={(changed) => onChange({ ...record, [name]: changed })}
          />
        </div>
      ))}
    </div>
  );
};

const UnionEditor: Editor<'union'> = ({ shape, ...rest }) => {
  const { id, about, value, examples, onChange } = rest;
  const kind = kindIn(value) ?? '';
  const variant = shape.variants.get(kind);
  return (
    <div class="stack">
      <Select
        id={id}
        aria-describedby={about}
        of={[...shape.variants.keys()].map((one) => [one, kindName(one)])}
        value={kind}
        onChoose={(chosen) => onChange(ofKind(chosen, examples, value))}
      />
      {variant !== undefined && variant.fields.size > 0 && <RecordEditor shape={variant} {...rest} />}
    </div>
  );
};

const OptionalEditor: Editor<'optional'> = ({ shape, ...rest }) => {
  const { id, about, value, examples, onChange } = rest;
  // An empty field is null.
  if (shape.of.kind === 'number') return <ShapeEditor shape={shape.of} {...rest} />;
  return (
    <div class="stack">
      <input
        type="checkbox"
        id={id}
        aria-describedby={about}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? (examples[0] ?? {}) : null)}
      />
      {value !== null && <ShapeEditor shape={shape.of} {...rest} />}
    </div>
  );
};

const ListEditor: Editor<'list'> = ({ shape, id, path, value, examples, onChange, ...rest }) => {
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  const remove = (index: number): void => {
    onChange(items.filter((_, other) => other !== index));
    // The last entry's button disappears, so the focus goes to one that stays.
    const left = items.length - 1;
    const next = left === 0 ? `${id}-add` : `${id}[${Math.min(index, left - 1)}]-remove`;
    document.getElementById(next)?.focus();
  };
  return (
    <div class="stack" role="group" aria-labelledby={`${id}-title`} id={id}>
      {items.map((item, index) => (
        <fieldset key={index} class="rule">
          <legend>
            {shape.item.kind === 'record' ? (
              t('settings_entry', { n: index + 1 })
            ) : (
              <label for={`${id}[${index}]`}>{t('settings_entry', { n: index + 1 })}</label>
            )}
          </legend>
          <ShapeEditor
            {...rest}
            shape={shape.item}
            id={`${id}[${index}]`}
            path={`${path}[${index}]`}
            value={item}
            examples={examples}
            onChange={(changed) => onChange(items.with(index, changed))}
          />
          <div class="row">
            <button type="button" class="plain" id={`${id}[${index}]-remove`} onClick={() => remove(index)}>
              {t('rules_remove')}
            </button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <button type="button" id={`${id}-add`} onClick={() => onChange([...items, examples[0] ?? null])}>
          {t('settings_add')}
        </button>
      </div>
    </div>
  );
};
