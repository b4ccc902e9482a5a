import { measureAttack, measured, type Attack } from '../../analysis/attack/attack';
import { attacks } from '../../analysis/attack/attacks';
import type { DefineCommand } from '../io/define';
import { InputError, integerOption, splitList } from '../io/input';
import { randomFor } from '../io/random';

interface AttackOptions {
  readonly epsilon: string;
  readonly trials: string;
  readonly seed?: string;
}

/** `cointoss attack`: how often somebody guesses a secret right, and what ε promises; see docs/attacks.md. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('[name]', 'the attack; by default, list all attacks')
    .option(
      '--epsilon <list>',
      'values of ε for everything that the attacker sees, separated by commas; "none" for no noise',
      '0.5,1,2,4,8,none',
    )
    .option('--trials <count>', 'draws of secrets and noise, if the success is not computed exactly', '1000')
    .option('--seed <seed>', 'make the draws repeatable')
    .action((name: string | undefined, options: AttackOptions) => {
      if (name === undefined) for (const [one, { what }] of Object.entries(attacks)) print(`${one}: ${what}`);
      else for (const line of linesOf(name, options)) print(line);
    });
};

function* linesOf(name: string, { epsilon, trials: count, seed }: AttackOptions): Generator<string> {
  const attack = attackNamed(name);
  const trials = integerOption('attack', 'trials', count, 10n, 1_000_000n);
  const random = randomFor(seed);
  const all = splitList(epsilon).map(epsilonOf);
  if (all.length === 0)
    throw new InputError('attack: --epsilon: must have at least one ε, such as 1, was ""');
  for (const value of all) {
    const bounds = attack.bounds(value);
    const found = measured(measureAttack(attack, value, trials, random));
    for (const [index, { share, low, high }] of found.entries())
      yield JSON.stringify({
        attack: name,
        attacker: attack.attackers[index],
        epsilon: value,
        success: share,
        interval: [low, high],
        trials: attack.exact === undefined ? trials : null,
        bound: bounds[index] ?? null,
      });
  }
}

function attackNamed(name: string): Attack {
  const attack = Object.hasOwn(attacks, name) ? attacks[name] : undefined;
  if (attack !== undefined) return attack;
  throw new InputError(`attack: must be one of ${Object.keys(attacks).join(', ')}, was "${name}"`);
}

/** With less, sums over noise take long; with more, there is hardly any. */
const [LEAST, MOST] = [0.01, 100];

function epsilonOf(text: string): number | null {
  if (text.trim() === 'none') return null;
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= LEAST && value <= MOST) return value;
  throw new InputError(`attack: --epsilon: must be from ${LEAST} to ${MOST}, or "none", was "${text}"`);
}
