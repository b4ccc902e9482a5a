import type { JSX } from 'preact';
import { measureAttack, type Attack, type Success } from '../../analysis/attack/attack';
import { seededRandomStreams } from '../../analysis/random/sources';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { showDecimal, showNumber } from '../pages/words/words';
import { AttackCurve } from './attack-curve';
import { useFound } from './use-found';
import { TableHead } from '../../ui/table-head';

const TRIALS = 300;
/** The curve's marks, beside the one that is chosen. */
const EPSILONS = [0.25, 0.5, 1, 2, 4, 8, 16];
/** Between the marks, where the success is exact: with a joint budget it jumps when a site less has room. */
const BETWEEN = Array.from({ length: 97 }, (_, step) => 0.25 * 64 ** (step / 96));

/** How often each attacker is right, against what ε promises. */
export function AttackSuccess({
  name,
  attack,
  epsilon,
}: {
  readonly name: string;
  readonly attack: Attack;
  readonly epsilon: number | null;
}): JSX.Element {
  // At the chosen ε first, then without noise and at the curve's.
  const between = attack.exact === undefined ? [] : BETWEEN;
  const found = useFound(name, [epsilon, null, ...EPSILONS, ...between], (at) =>
    measureAttack(attack, at, TRIALS, seededRandomStreams('lab')),
  );
  const bounds = attack.bounds(epsilon);
  return (
    <Card title={t('attack_success')}>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('attack_success')}>
        <table class="attack" id="attack-success">
          <TableHead
            of={[t('attack_attacker'), t('attack_right'), t('attack_bound'), t('attack_without_noise')]}
          />
          <tbody>
            {attack.attackers.map((attacker, index) => (
              <tr key={attacker}>
                <th scope="row">{t('attack_word', { word: attacker })}</th>
                <td>{shown(found.get(epsilon)?.[index])}</td>
                <td>{boundOf(bounds[index] ?? null)}</td>
                <td>{shown(found.get(null)?.[index])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <AttackCurve attack={attack} found={found} epsilons={EPSILONS} at={epsilon} />
      <p class="soft small">
        {t('attack_measured', {
          exact: attack.exact === undefined ? 'no' : 'yes',
          trials: showNumber(TRIALS),
        })}
      </p>
      <p>{t('attack_lesson', { attack: name })}</p>
    </Card>
  );
}

const percent = (share: number): string => showDecimal(share * 100, 3);

const boundOf = (bound: number | null): string =>
  bound === null ? t('attack_unbounded') : t('attribution_percent', { number: percent(bound) });

const shown = (success: Success | undefined): string =>
  success === undefined
    ? '…'
    : success.low === success.high
      ? t('attribution_percent', { number: percent(success.share) })
      : t('attack_interval', {
          share: percent(success.share),
          low: percent(success.low),
          high: percent(success.high),
        });
