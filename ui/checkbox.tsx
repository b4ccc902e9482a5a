import type { ComponentChildren, JSX } from 'preact';

/** A checkbox, with its label after it. */
export const Checkbox = ({
  class: classes = 'row',
  checked,
  onChange,
  children,
  ...attributes
}: {
  readonly class?: string;
  readonly id?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <label class={classes}>
    <input
      type="checkbox"
      {...attributes}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {children}
  </label>
);
