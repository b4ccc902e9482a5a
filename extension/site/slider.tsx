import type { JSX } from 'preact';
import { showDecimal } from '../pages/words/words';

/** A number that is set by dragging, beside its value. */
export const Slider = ({
  id,
  label,
  min,
  max,
  step,
  value,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}): JSX.Element => (
  <div class="slider">
    <label for={id}>{label}</label>
    <input
      id={id}
      type="range"
      min={min}
      max={max}
      step={step}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
    />
    <output for={id}>{showDecimal(value)}</output>
  </div>
);
