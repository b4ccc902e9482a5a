import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Epsilon } from '../../../../src/model/units';
import { responseDigits } from '../../explain/response-digits';
import { rich, t } from '../../../i18n';
import { exactNumber } from '../../words/typed-numbers';
import { showDecimal } from '../../words/words';
import { Card, Definitions } from '../../ui/basics';

const DIGITS = 30;

/** The exact probability of each output, given the true state. */
export function Probabilities({
  states,
  epsilon,
  chosen,
  truth,
}: {
  readonly states: bigint;
  readonly epsilon: Epsilon;
  readonly chosen: bigint;
  /** The true state; null where it must stay hidden. */
  readonly truth: bigint | null;
}): JSX.Element {
  const digits = useMemo(() => responseDigits(states, epsilon, DIGITS), [states, epsilon]);
  const number = (value: string): JSX.Element => <code class="break">{exactNumber(value)}</code>;
  return (
    <Card title={t('probabilities_title')}>
      <p class="soft">
        {rich('probabilities_rule', {
          sup: (parts) => <sup>{parts}</sup>,
          states: String(states),
          epsilon: showDecimal(epsilon),
          digits: DIGITS,
        })}
      </p>
      <Definitions
        of={[
          [t('probabilities_random'), number(digits.replaced)],
          [t('probabilities_truth'), number(digits.truth)],
          [t('probabilities_other'), number(digits.other)],
          [
            t('probabilities_state', { state: String(chosen) }),
            truth === null ? null : number(chosen === truth ? digits.truth : digits.other),
          ],
        ]}
      />
    </Card>
  );
}
