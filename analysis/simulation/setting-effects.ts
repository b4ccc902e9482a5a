import type { MeasurementSettings } from '../../src/model/mechanisms';
import type { RegistrationEntry } from '../../src/engine';

/** A setting that can be without effect, or one limit of it, written as in a grid. */
export type EffectiveSetting = 'attribution' | 'labelNoise' | BudgetPart;

type BudgetPart = 'budget.epsilon' | 'budget.cap' | 'budget.joint' | 'budget.attributionEpsilon';

/**
 * The settings that are not the defaults, and can be without effect: no source qualifies for them, no conversion has a choice, or no
 * registration reaches their limits.
 * @param noise without it, no mechanism is chosen.
 * @param planned whether a matching decides who gets the credit, and not the attribution model.
 */
export function settingsAsked(
  { attribution, labelNoise, budget }: Pick<MeasurementSettings, 'attribution' | 'labelNoise' | 'budget'>,
  { noise, planned }: { readonly noise: boolean; readonly planned: boolean },
): readonly EffectiveSetting[] {
  const isAsked: Readonly<Record<EffectiveSetting, boolean>> = {
    attribution: !planned && attribution.kind !== 'priority',
    labelNoise: noise && labelNoise.kind !== 'rr',
    'budget.epsilon': budget.epsilon !== null,
    'budget.cap': budget.cap !== null,
    'budget.joint': budget.joint !== null,
    'budget.attributionEpsilon': budget.attributionEpsilon > 0,
  };
  return (Object.keys(isAsked) as EffectiveSetting[]).filter((name) => isAsked[name]);
}

/** What changed, or could have changed, a registration, whether a setting asks for it or not. Needs the checks of the entry. */
export function effectsOn(entry: RegistrationEntry): ReadonlySet<EffectiveSetting> {
  const effects = new Set<EffectiveSetting>();
  for (const check of entry.checks) {
    if (check.id === 'mechanism' && check.values.applies === 'yes') effects.add('labelNoise');
    if (check.id === 'filters' && check.values.all > 1) effects.add('attribution');
    if (check.id === 'budget-share' && check.values.epsilon < check.values.registered)
      effects.add('budget.epsilon');
    // A private model drops a conversion whose only candidate cannot pay; others would not.
    if (check.id === 'privacy-budget' && check.values.effect === 'excluded')
      effects.add('budget.attributionEpsilon').add('attribution');
  }
  // A plan over all conversions leaves out what cannot pay, without a check.
  if (
    entry.kind === 'trigger' &&
    entry.decision.kind === 'dropped' &&
    entry.decision.reason === 'trigger-privacy-budget'
  )
    effects.add('budget.attributionEpsilon');
  if (entry.kind === 'source' && entry.decision.kind === 'stored' && entry.decision.overBudget !== undefined)
    effects.add(OF_REFUSAL[entry.decision.overBudget.id]);
  return effects;
}

const OF_REFUSAL = {
  impressions: 'budget.cap',
  'not-drawn': 'budget.cap',
  epsilon: 'budget.epsilon',
  joint: 'budget.joint',
} as const satisfies Record<string, BudgetPart>;

/** What it means that a setting, or one limit of it, has the count 0. */
export const noEffect: Readonly<Record<EffectiveSetting, string>> = {
  attribution: 'no conversion had more than one candidate',
  labelNoise: 'no source got its mechanism',
  'budget.epsilon': 'no source got less ε than it registered',
  'budget.cap': 'no unit had more impressions than the cap',
  'budget.joint': 'no source was beyond the joint budget',
  'budget.attributionEpsilon': 'no conversion was beyond the ε for attribution',
};

export const isEffective = (name: string): name is EffectiveSetting => Object.hasOwn(noEffect, name);

/** The setting that a name is about, or a limit of. */
export const wholeOf = (name: string): string => name.split('.', 1).join('');

/** The settings of which no part had an effect, each with the reasons. @param counts registrations by setting or limit */
export function settingsWithoutEffect(
  counts: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly string[]> {
  const without = new Map<string, readonly string[]>();
  const names = [...counts.keys()].filter(isEffective);
  for (const whole of new Set(names.map(wholeOf))) {
    const parts = names.filter((name) => wholeOf(name) === whole);
    if (parts.every((name) => counts.get(name) === 0))
      without.set(
        whole,
        parts.map((name) => noEffect[name]),
      );
  }
  return without;
}
