import { enterAttribution, spendOnAttribution } from '../limits/privacy-budget';
import type { PlannedCredit } from '../model/credit-plan';
import type { PrivateModel, TimeUnit } from '../model/mechanisms';
import type { Source } from '../model/records';
import { rememberedByKey } from '../model/remembered';
import type { Work } from '../work';
import { weightedIndex } from '../privacy/finite-distribution';
import { Rational } from '../privacy/rational';
import { triggerDataOf } from '../states/source-space';
import { lossOfChoice, type ClickChoice } from './click-scores';
import type { Trigger } from '../model/trigger';
import { exponentialMechanism, permuteAndFlip } from './private-choice';
import { splitValue, touchWeights, type MultiTouchModel } from './touch-weights';

export type Credit =
  /** One source; if `forgetsOthers`, the other candidates are deleted. */
  | { readonly kind: 'one'; readonly source: Source; readonly forgetsOthers: boolean }
  /** Several sources, each with its share of a value, or with all of it. */
  | { readonly kind: 'split'; readonly among: readonly Share[] }
  /** No candidate can afford the attribution, or a plan credits none. */
  | { readonly kind: 'none'; readonly reason: 'trigger-privacy-budget' | 'trigger-not-credited' };

export interface Share {
  readonly source: Source;
  readonly of: (value: number) => number;
}

/** Credits by a model other than ARA's own. @param matching at least one source, all with matching filters */
export function creditFor(work: Work, trigger: Trigger, matching: readonly Source[]): Credit {
  const model = work.measurement.attribution;
  const touches = [...matching].sort((a, b) => a.time - b.time || a.id - b.id);
  if (work.creditPlan !== undefined) return planned(work, trigger, work.creditPlan(trigger, touches));
  switch (model.kind) {
    case 'priority':
      return { kind: 'one', source: required(matching[0]), forgetsOthers: true };
    case 'first-touch':
      return { kind: 'one', source: required(touches[0]), forgetsOthers: true };
    case 'last-touch':
      return { kind: 'one', source: required(touches.at(-1)), forgetsOthers: true };
    case 'linear':
    case 'position-based':
    case 'time-decay':
      return shared(work, trigger, touches, model);
    case 'exponential':
    case 'permute-and-flip':
      return privately(work, trigger, touches, model);
  }
}

function planned(work: Work, trigger: Trigger, { credited, charged, epsilon }: PlannedCredit): Credit {
  enterAttribution(work, trigger, charged, epsilon);
  if (credited === 'over-budget') return { kind: 'none', reason: 'trigger-privacy-budget' };
  const [source] = credited;
  if (source === undefined) return { kind: 'none', reason: 'trigger-not-credited' };
  return credited.length === 1
    ? { kind: 'one', source, forgetsOthers: false }
    : { kind: 'split', among: credited.map((each) => ({ source: each, of: (value) => value })) };
}

function required(source: Source | undefined): Source {
  if (source === undefined) throw new RangeError('there must be a matching source');
  return source;
}

/** For a check in the log, which has "…" for all beyond the first. */
export const listed = (most: number, numbers: readonly number[]): string =>
  [...numbers.slice(0, most), ...(numbers.length > most ? ['…'] : [])].join(', ');

/** The ids of the first 100 sources. */
export function idsFor(sources: readonly Source[]): string {
  const ids = sources.map(({ id }) => id);
  return listed(100, ids);
}

function shared(work: Work, trigger: Trigger, touches: readonly Source[], model: MultiTouchModel): Credit {
  const takers = model.credit === 'split' ? touches.filter(takesValues) : [];
  if (takers.length > 0) {
    const weights = touchWeights(model, agesOf(takers, trigger));
    const sharesOf = rememberedByKey((value: number) => splitValue(value, weights));
    work.trace.check('attribution', true, { how: 'split', model: model.kind, sources: idsFor(takers) });
    return {
      kind: 'split',
      among: takers.map((source, index) => ({ source, of: (value) => sharesOf(value)[index] ?? 0 })),
    };
  }
  const source = required(touches[weightedIndex(touchWeights(model, agesOf(touches, trigger)))(work.random)]);
  work.trace.check('attribution', true, {
    how: model.credit === 'split' ? 'untaken' : 'drawn',
    model: model.kind,
    source: source.id,
    sources: idsFor(touches),
  });
  return { kind: 'one', source, forgetsOthers: false };
}

/** Whether the source's specs count the value of conversions. */
const takesValues = ({ registration }: Source): boolean =>
  triggerDataOf(registration).some(({ spec }) => spec.summaryOperator === 'value_sum');

/** A source with a later time than its trigger, because the clock was set back, has age 0. */
const agesOf = (touches: readonly Source[], trigger: Trigger): readonly number[] =>
  touches.map(({ time }) => Math.max(0, trigger.time - time));

function privately(work: Work, trigger: Trigger, touches: readonly Source[], model: PrivateModel): Credit {
  const candidates = spendOnAttribution(work, trigger, touches, lossOfChoice(model));
  const counts = { count: candidates.length, all: touches.length };
  if (!work.trace.check('candidates-within-budget', candidates.length > 0, counts))
    return { kind: 'none', reason: 'trigger-privacy-budget' };
  const choose = model.kind === 'exponential' ? exponentialMechanism : permuteAndFlip;
  // Without noise, the last click: the limit for large ε.
  const index =
    work.noise.kind === 'off'
      ? candidates.length - 1
      : choose(clickChoice(model, agesOf(candidates, trigger)))(work.random);
  const source = required(candidates[index]);
  work.trace.check('attribution', true, {
    ...(work.noise.kind === 'off' ? { how: 'last' } : { how: 'private', epsilon: model.epsilon }),
    model: model.kind,
    source: source.id,
    sources: idsFor(candidates),
  });
  return { kind: 'one', source, forgetsOthers: false };
}

const UNITS: Readonly<Record<TimeUnit, bigint>> = {
  seconds: 1000n,
  minutes: 60_000n,
  hours: 3_600_000n,
  days: 86_400_000n,
};

/**
 * How long before the conversion a click counts as, in the model's unit. With the reciprocal score, a click nearer than α counts
 * as α before it. This moves no two clicks further apart, and keeps all clicks where the sensitivity holds.
 * @param age in milliseconds
 */
export function timeBefore({ unit, gap }: PrivateModel, age: number): Rational {
  const before = Rational.fraction(BigInt(age), UNITS[unit]);
  const least = gap === null ? Rational.ZERO : Rational.of(gap);
  return before.compare(least) < 0n ? least : before;
}

export function clickChoice(model: PrivateModel, ages: readonly number[]): ClickChoice {
  const { epsilon, score, tau, gap } = model;
  const clicks = ages.map((age) => Rational.ZERO.minus(timeBefore(model, age)));
  const choice = { clicks, conversion: 0, tau, epsilon, score };
  return gap === null ? choice : { ...choice, gap };
}
