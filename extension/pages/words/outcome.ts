import type { Check } from '../../../src/model/checks';
import type { LogEntry, TriggerDecision, TriggerDrop } from '../../../src/model/decision';
import { t } from '../../i18n';
import type { Tone } from './tone';
import { outcomeTone, outcomeWords, type OutcomeId } from './outcome-words';

export interface Outcome {
  readonly key: OutcomeId;
  readonly words: string;
  readonly tone: Tone;
}

/** The outcome of a registration. @param truth as for `outcomeKey` */
export function outcomeOf(entry: LogEntry, truth: boolean): Outcome {
  const key = outcomeKey(entry, truth);
  const words =
    entry.kind === 'trigger' && entry.decision.kind === 'split'
      ? t('explain_outcome_split_among', { n: entry.decision.shares.length })
      : outcomeWords(key);
  return { key, words, tone: outcomeTone(key) };
}

/**
 * @param truth false hides what randomized response protects: every trigger that reached its source looks credited, whatever happened
 * there
 */
export function outcomeKey(entry: LogEntry, truth: boolean): OutcomeId {
  switch (entry.kind) {
    case 'refused':
      return 'malformed';
    case 'ignored':
      return 'ignored';
    case 'source':
      return entry.decision.kind === 'rejected' ? entry.decision.reason : keptKey(entry.decision, truth);
    case 'trigger':
      return triggerKey(entry, truth);
  }
}

type EntryOf<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>;

function keptKey(
  { noise, overBudget }: Extract<EntryOf<'source'>['decision'], { kind: 'stored' }>,
  truth: boolean,
): OutcomeId {
  if (overBudget !== undefined) return 'kept-over-budget';
  if (!truth || noise.kind !== 'replaced') return 'kept';
  return noise.forced === true ? 'kept-forced' : 'kept-noised';
}

function triggerKey({ decision, checks }: EntryOf<'trigger'>, truth: boolean): OutcomeId {
  if (decision.kind === 'split') return 'split';
  if (decision.kind === 'attributed' || (!truth && dependsOnNoise(decision))) return 'credited';
  return decision.reason === 'trigger-event-noise' && checks.some(saysForced)
    ? 'state-forced'
    : decision.reason;
}

/** Whether the check found that a state was forced in debug mode, so that chance decided nothing. */
export const saysForced = ({ id, values }: Check): boolean =>
  (id === 'source-not-noised' || id === 'source-not-noised-to-nothing') && values.noise === 'forced';

/** Reasons that are decided before the source's noise matters. */
const BEFORE_NOISE: ReadonlySet<TriggerDrop['reason']> = new Set<TriggerDrop['reason']>([
  'no-event-trigger-data',
  'trigger-no-matching-source',
  'trigger-no-matching-filter-data',
  'trigger-privacy-budget',
  'trigger-source-over-budget',
]);

/**
 * Whether the decision was made at the source. There every outcome except the one for noise reveals that the source was not noised. A
 * split value reveals nothing.
 */
export const dependsOnNoise = (decision: TriggerDecision): boolean =>
  decision.kind === 'attributed' || (decision.kind === 'dropped' && !BEFORE_NOISE.has(decision.reason));
