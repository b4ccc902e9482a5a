import { clickWeight, weightSensitivity } from '../matching/click-weights';
import { greedyMatching } from '../matching/greedy';
import { gaussianMatching, jointMatching, laplaceMatching } from '../matching/noisy-weights';
import { accountGroups, deltaOfPart } from '../../src/limits/privacy-budget';
import type { CreditPlan } from '../../src/model/credit-plan';
import type { BudgetSettings } from '../../src/model/mechanisms';
import type { InternalId, Source } from '../../src/model/records';
import { budgetKey } from '../../src/model/spend';
import { epsilon, type Epsilon, type Moment } from '../../src/model/units';
import { groupPrivacy } from '../../src/privacy/composition';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { shuffle } from '../../src/privacy/uniform';
import type { ReplayOptions } from '../scenario/replay';
import type { ScenarioResponse } from '../scenario/scenario';
import { isWithinAdvanced } from '../noise/composition';
import type { Matching, MatchingMechanism } from './matching-settings';

/** A conversion and its candidates, oldest first. */
interface Conversion {
  readonly time: Moment;
  readonly candidates: readonly Source[];
  /** The probability that it counts. */
  readonly chance: Rational;
}

/** For each source of a log the probability that it counts. */
type Chances = ReadonlyMap<InternalId, Rational>;

/**
 * Matches all conversions of a log with their candidates.
 * @param responses all of the log.
 * @param rehearse runs the whole log with a plan. The candidates do not depend on who gets the credit.
 * @param random draws the matching; null: the best one.
 * @returns a plan for one run of the same log.
 */
export async function planCredits(
  matching: Matching,
  budget: BudgetSettings,
  responses: readonly Pick<ScenarioResponse, 'chance'>[],
  rehearse: (options: Required<Pick<ReplayOptions, 'creditPlan' | 'observe'>>) => Promise<unknown>,
  random: RandomSource | null,
): Promise<CreditPlan> {
  const conversions: Conversion[] = [];
  const chances = new Map<InternalId, Rational>();
  let answered = 0;
  const chanceNow = (): Rational => responses[answered]?.chance ?? Rational.ONE;
  await rehearse({
    creditPlan: ({ time, registration }, candidates) => {
      // Without event trigger data it makes no report, so it must not take a click from a conversion that does.
      const matchable = registration.eventTriggerData.length > 0 ? candidates : [];
      conversions.push({ time, candidates: matchable, chance: chanceNow() });
      return { credited: [], charged: [], epsilon: epsilon(0) };
    },
    observe: (outcome) => {
      if (outcome.kind === 'source' && outcome.decision.kind === 'stored')
        chances.set(outcome.decision.sourceId, chanceNow());
      answered += 1;
    },
  });
  const admitted = admittedClicks(conversions, budget, matching);
  const matchable = conversions.map((conversion) => ({
    ...conversion,
    candidates: conversion.candidates.filter(({ id }) => admitted.has(id)),
  }));
  const matched = new Map(
    componentsOf(matchable).flatMap((component) => matchedPairs(matching, component, chances, random)),
  );
  return follow(conversions, admitted, matched, matching.model.epsilon);
}

/**
 * The clicks whose units can afford ε for each of theirs, out of the budget for attribution. Clicks of one unit that become candidates of
 * the same conversion are admitted together or not at all, so that the order of their times does not decide.
 */
function admittedClicks(
  conversions: readonly Conversion[],
  budget: BudgetSettings,
  { mechanism, model }: Matching,
): ReadonlySet<InternalId> {
  const most = Rational.of(budget.attributionEpsilon);
  // Gaussian noise is not ε-private, and adds up like ε-private mechanisms under advanced composition only.
  const isWithin = (loss: Rational): boolean =>
    mechanism === 'gaussian'
      ? isWithinAdvanced([loss], most, Rational.of(deltaOfPart(budget)))
      : loss.compare(most) <= 0n;
  const fits = (clicks: number): boolean =>
    budget.epsilon === null || isWithin(groupPrivacy(Rational.of(model.epsilon), clicks));
  const counts = new Map<string, number>();
  const seen = new Set<InternalId>();
  const admitted = new Set<InternalId>();
  for (const { candidates } of conversions) {
    const fresh = candidates.filter(({ id }) => !seen.has(id));
    const groups = accountGroups(budget, fresh).map(({ account, members }) => {
      const key = budgetKey(account);
      return { key, members, before: counts.get(key) ?? 0 };
    });
    const refused = new Set(
      groups
        .filter(({ before, members }) => !fits(before + members.length))
        .flatMap(({ members }) => members),
    );
    for (const { id } of fresh) seen.add(id);
    for (const source of fresh) if (!refused.has(source)) admitted.add(source.id);
    for (const { key, members, before } of groups)
      counts.set(key, before + members.filter((source) => !refused.has(source)).length);
  }
  return admitted;
}

/** Conversions that share candidates, directly or through others, with all these candidates. */
interface Component {
  readonly clicks: ReadonlyMap<InternalId, Source>;
  readonly conversions: readonly (Conversion & { readonly index: number })[];
}

/** Each click is in at most one component, so matching all of them costs it no more than one matching. */
function componentsOf(conversions: readonly Conversion[]): readonly Component[] {
  let components: readonly Component[] = [];
  conversions.forEach((conversion, index) => {
    const { candidates } = conversion;
    if (candidates.length === 0) return;
    const touched = components.filter(({ clicks }) => candidates.some(({ id }) => clicks.has(id)));
    const own = candidates.map((source) => [source.id, source] as const);
    components = [
      ...components.filter((component) => !touched.includes(component)),
      {
        clicks: new Map([...touched.flatMap(({ clicks }) => [...clicks]), ...own]),
        conversions: [...touched.flatMap((component) => component.conversions), { ...conversion, index }],
      },
    ];
  });
  return components;
}

const MATCHINGS = {
  laplace: laplaceMatching,
  gaussian: gaussianMatching,
  greedy: greedyMatching,
  joint: jointMatching,
} as const satisfies Record<MatchingMechanism, unknown>;

/** The index of the conversion by matched click. In a jointly private matching, several clicks can have the same. */
function matchedPairs(
  { mechanism, model }: Matching,
  component: Component,
  ofSources: Chances,
  random: RandomSource | null,
): readonly (readonly [InternalId, number])[] {
  const { conversions } = component;
  // Among matchings of equal weight, the order of clicks can decide, so it must not be their order in time.
  const clicks = [...component.clicks.values()];
  const shuffled = random === null ? clicks : shuffle(random, clicks);
  const ofPairs = (
    weigh: (click: Source, conversion: Conversion) => Rational,
  ): readonly (readonly (Rational | null)[])[] =>
    shuffled.map((click) =>
      conversions.map((conversion) =>
        conversion.candidates.some(({ id }) => id === click.id) ? weigh(click, conversion) : null,
      ),
    );
  const draw = MATCHINGS[mechanism]({
    weights: ofPairs((click, { time }) => clickWeight(model, Math.max(0, time - click.time))),
    chances: ofPairs(({ id }, { chance }) => chance.times(ofSources.get(id) ?? Rational.ONE)),
    epsilon: model.epsilon,
    sensitivity: weightSensitivity(model),
  });
  return draw(random).flatMap(({ click, conversion }) => {
    const [source, matched] = [shuffled[click], conversions[conversion]];
    return source === undefined || matched === undefined ? [] : [[source.id, matched.index] as const];
  });
}

/** Ids differ between runs of a log, so this uses the order of a conversion's candidates, which does not. */
function follow(
  conversions: readonly Conversion[],
  admitted: ReadonlySet<InternalId>,
  matched: ReadonlyMap<InternalId, number>,
  epsilon: Epsilon,
): CreditPlan {
  const charged = new Set<InternalId>();
  let next = 0;
  return (_, candidates) => {
    const index = next++;
    const rehearsed = conversions[index]?.candidates ?? [];
    if (rehearsed.length > 0 && rehearsed.length !== candidates.length)
      throw new Error('a run must meet the candidates of its rehearsal');
    const taking = candidates.flatMap((source, place) => {
      const id = rehearsed[place]?.id;
      return id !== undefined && admitted.has(id) ? [{ id, source }] : [];
    });
    const fresh = taking.filter(({ id }) => !charged.has(id));
    for (const { id } of fresh) charged.add(id);
    const credited = taking.flatMap(({ id, source }) => (matched.get(id) === index ? [source] : []));
    return {
      credited: rehearsed.length > 0 && taking.length === 0 ? 'over-budget' : credited,
      charged: fresh.map(({ source }) => source),
      epsilon,
    };
  };
}
