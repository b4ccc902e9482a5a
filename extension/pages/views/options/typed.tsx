import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import { asText, readNumber, readNumbers } from '../../words/typed-numbers';

interface Field {
  readonly id: string;
  readonly placeholder?: string;
  readonly 'aria-describedby': string;
  readonly isInvalid: boolean;
}

/** The text takes effect on Enter, or when the field loses focus. */
function Typed({
  text,
  isLong = false,
  isInvalid,
  onChange,
  ...attributes
}: Field & {
  readonly text: string;
  readonly isLong?: boolean;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(text);
  /** The field shows what its change came to, also if that is what it was before. */
  const [changes, setChanges] = useState(0);
  useLayoutEffect(() => setTyped(text), [text, changes]);
  const common = {
    ...attributes,
    value: typed,
    'aria-invalid': isInvalid,
    spellcheck: false,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      onChange(currentTarget.value.trim());
      setChanges(changes + 1);
    },
  };
  return isLong ? <textarea rows={3} {...common} /> : <input {...common} />;
}

type OfJson = Field & { readonly value: Json; readonly onChange: (value: Json) => void };

/** Empty stands for null. */
export const TypedText = ({ value, onChange, ...field }: OfJson): JSX.Element => (
  <Typed {...field} text={asText(value)} onChange={(text) => onChange(text === '' ? null : text)} />
);

/** Empty stands for null. Text that is no number goes to the parser, which refuses it. */
export const TypedNumber = ({ value, onChange, ...field }: OfJson): JSX.Element => (
  <Typed
    {...field}
    text={asText(value)}
    onChange={(text) =>
      onChange(text === '' ? null : readNumber(text, typeof value === 'number' ? [value] : []))
    }
  />
);

/** One text or number a line. */
export function TypedLines({
  of,
  value,
  onChange,
  ...field
}: OfJson & { readonly of: 'text' | 'number' }): JSX.Element {
  const before: readonly Json[] = Array.isArray(value) ? value : [];
  return (
    <Typed
      {...field}
      isLong
      text={before.map(asText).join('\n')}
      onChange={(text) => {
        const lines = text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
        onChange(of === 'text' ? lines : readNumbers(lines, before));
      }}
    />
  );
}
