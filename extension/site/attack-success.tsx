import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { measureAttack, type Attack, type Success } from '../../analysis/attack/attack';
import { seededRandomStreams } from '../../analysis/random/sources';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { showDecimal, showNumber } from '../pages/words/words';
import { AttackCurve, type Found } from './attack-curve';

const TRIALS = 300;
/** The curve's, beside the one that is chosen. */
const EPSILONS = [0.25, 0.5, 1, 2, 4, 8, 16];
/** In ms, so that dragging a slider does not begin anew at each step, and what is worked on at a time. */
const [PAUSE, SLICE] = [150, 20];

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
  const found = useSuccess(attack, epsilon);
  const bounds = attack.bounds(epsilon);
  return (
    <Card title={t('attack_success')}>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('attack_success')}>
        <table class="attack" id="attack-success">
          <thead>
            <tr>
              <th scope="col">{t('attack_attacker')}</th>
              <th scope="col">{t('attack_right')}</th>
              <th scope="col">{t('attack_bound')}</th>
              <th scope="col">{t('attack_without_noise')}</th>
            </tr>
          </thead>
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

/** Measures at the chosen ε first, then without noise and at the curve's, a little at a time, so that the page can draw in between. */
function useSuccess(attack: Attack, epsilon: number | null): Found {
  const [found, setFound] = useState<Found>(new Map());
  useEffect(() => {
    const random = seededRandomStreams('lab');
    const open = [...new Set([epsilon, null, ...EPSILONS])]
      .filter((at) => !found.has(at))
      .map((at) => ({ at, steps: measureAttack(attack, at, TRIALS, random) }));
    let known = found;
    const next = (): void => {
      const [current] = open;
      if (current === undefined) return;
      const until = performance.now() + SLICE;
      let step = current.steps.next();
      while (step.done !== true && performance.now() < until) step = current.steps.next();
      if (step.done === true) {
        open.shift();
        known = new Map([...known, [current.at, step.value]]);
        setFound(known);
      }
      timer = setTimeout(next);
    };
    let timer = setTimeout(next, PAUSE);
    return () => clearTimeout(timer);
    // What was found is no reason to begin again.
  }, [attack, epsilon]);
  return found;
}
