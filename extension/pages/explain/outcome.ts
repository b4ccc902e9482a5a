import type { LogEntry, TriggerDecision, TriggerDrop } from '../../../src/model/decision';
import type { Tone } from '../data/table';
import { outcomeWords } from './outcome-words';

export interface Outcome {
  /** The English words, by which tables are filtered. */
  readonly key: string;
  readonly words: string;
  readonly tone: Tone;
}

const outcome = (key: string, tone: Tone): Outcome => ({ key, words: outcomeWords(key), tone });
const good = (key: string): Outcome => outcome(key, 'good');
const bad = (key: string): Outcome => outcome(key, 'bad');
const warn = (key: string): Outcome => outcome(key, 'warn');

/**
 * @param truth false hides what randomized response protects: every trigger that reached its source looks credited, whatever happened
 * there
 */
export function outcomeOf(entry: LogEntry, truth: boolean): Outcome {
  switch (entry.kind) {
    case 'refused':
      return bad('malformed');
    case 'ignored':
      return outcome('ignored', 'soft');
    case 'source':
      return entry.decision.kind === 'rejected'
        ? bad(plain(entry.decision.reason))
        : keptOutcome(entry, truth);
    case 'trigger':
      return conversionOutcome(entry.decision, truth);
  }
}

function conversionOutcome(decision: TriggerDecision, truth: boolean): Outcome {
  if (decision.kind === 'split') return good(`split among ${decision.shares.length}`);
  if (decision.kind === 'attributed' || (!truth && dependsOnNoise(decision))) return good('credited');
  return warn(decision.reason === 'trigger-event-noise' ? 'noise' : plain(decision.reason));
}

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

function keptOutcome(entry: Extract<LogEntry, { kind: 'source' }>, truth: boolean): Outcome {
  const noised = entry.decision.kind === 'stored' && entry.decision.noise.kind === 'replaced';
  return truth && noised ? warn('kept, noised') : good('kept');
}

/** `trigger-event-no-matching-trigger-data` as "no matching trigger data". */
export const plain = (reason: string): string =>
  reason.replace(/^(trigger|source)-(event-)?/, '').replaceAll('-', ' ');

export const outcomeTone = (key: string): Tone | undefined => tones.get(key) ?? 'warn';

const tones = new Map<string, Tone>([
  ['credited', 'good'],
  ['kept', 'good'],
  ['malformed', 'bad'],
  ['ignored', 'soft'],
]);
