import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { responseDigits } from '../../../src/privacy/response-digits';
import { Card, Definitions } from '../ui/basics';

const DIGITS = 30;

/** How probable each output is given the truth, every digit right. */
export function Probabilities({
  states,
  epsilon,
  chosen,
  truth,
}: {
  readonly states: bigint;
  readonly epsilon: number;
  readonly chosen: bigint;
  /** The true state, where it may be told. */
  readonly truth: bigint | null;
}): JSX.Element {
  const digits = useMemo(() => responseDigits(states, epsilon, DIGITS), [states, epsilon]);
  const number = (value: string): JSX.Element => <code class="break">{value}</code>;
  return (
    <Card title="How probable each output is">
      <p class="soft">
        With probability k/(k − 1 + e<sup>ε</sup>) the output is drawn evenly from all k states, the true one
        included; else it is the truth. Here k = {String(states)} and ε = {epsilon}. Digits are cut off after{' '}
        {DIGITS}, not rounded; all of them are right.
      </p>
      <Definitions
        of={[
          ['Drawn at random', number(digits.replaced)],
          ['The truth is reported', number(digits.truth)],
          ['One given other state', number(digits.other)],
          [
            `State ${String(chosen)}, given the truth now`,
            truth === null ? null : number(chosen === truth ? digits.truth : digits.other),
          ],
        ]}
      />
    </Card>
  );
}
