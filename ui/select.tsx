import type { ComponentChildren, JSX } from 'preact';

/** A list from which one value is chosen, each with its words. */
export function Select<Value extends string>({
  of,
  value,
  onChoose,
  ...attributes
}: {
  readonly of: readonly (readonly [value: Value, words: ComponentChildren])[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}): JSX.Element {
  return (
    <select
      {...attributes}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = of.find(([one]) => one === currentTarget.value);
        if (chosen !== undefined) onChoose(chosen[0]);
      }}
    >
      {of.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** The same after its label. */
export const LabelledSelect = <Value extends string>({
  label,
  ...select
}: Parameters<typeof Select<Value>>[0] & { readonly id: string; readonly label: string }): JSX.Element => (
  <div class="row">
    <label for={select.id}>{label}</label>
    <Select {...select} />
  </div>
);
