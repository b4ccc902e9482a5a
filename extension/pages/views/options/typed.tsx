import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import { asText, readNumber } from '../../words/typed-numbers';

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

type OfJson = Field & { readonly value: Json; readonly onChange: (value: Json) => void };

const numbersIn = (values: readonly Json[]): readonly number[] =>
  values.filter((value) => typeof value === 'number');

/** Empty stands for null. */
export const TypedText = ({ value, onChange, ...field }: OfJson): JSX.Element => (
  <Typed {...field} text={asText(value)} onChange={(text) => onChange(text === '' ? null : text)} />
);

/** Empty stands for null. Text that is no number goes to the parser, which refuses it. */
export const TypedNumber = ({ value, onChange, ...field }: OfJson): JSX.Element => (
  <Typed
    {...field}
    text={asText(value)}
    onChange={(text) => onChange(text === '' ? null : readNumber(text, numbersIn([value])))}
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
  const read = (text: string, index: number): Json =>
    of === 'text' ? text : readNumber(text, numbersIn([...before.slice(index, index + 1), ...before]));
  return (
    <Typed
      {...field}
      isLong
      text={before.map(asText).join('\n')}
      onChange={(text) =>
        onChange(
          text
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
            .map(read),
        )
      }
    />
  );
}
