import type { LogEntry, TriggerDecision } from '../../../src/model/decision';
import type { Tone } from '../data/table';

/** What became of a registration, in one or two words that tables can be filtered by. */
export interface Outcome {
  readonly words: string;
  readonly tone: Tone;
}

const good = (words: string): Outcome => ({ words, tone: 'good' });
const bad = (words: string): Outcome => ({ words, tone: 'bad' });
const warn = (words: string): Outcome => ({ words, tone: 'warn' });

/**
 * @param truth whether what randomized response protects may be told; without it, a conversion that noise dropped looks like
 *   one that was credited, as it does to everybody but the person at the device.
 */
export function outcomeOf(entry: LogEntry, truth: boolean): Outcome {
  switch (entry.kind) {
    case 'refused':
      return bad('malformed');
    case 'ignored':
      return { words: 'ignored', tone: 'soft' };
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
  if (decision.kind === 'attributed') return good('credited');
  if (decision.reason === 'trigger-event-noise') return truth ? warn('noise') : good('credited');
  return warn(plain(decision.reason));
}

function keptOutcome(entry: Extract<LogEntry, { kind: 'source' }>, truth: boolean): Outcome {
  const noised = entry.decision.kind === 'stored' && entry.decision.noise.kind === 'replaced';
  return truth && noised ? warn('kept, noised') : good('kept');
}

/** `trigger-event-no-matching-trigger-data` as "no matching trigger data". */
export const plain = (reason: string): string =>
  reason.replace(/^(trigger|source)-(event-)?/, '').replaceAll('-', ' ');

export const outcomeTone = (words: string): Tone | undefined => tones.get(words) ?? 'warn';

const tones = new Map<string, Tone>([
  ['credited', 'good'],
  ['kept', 'good'],
  ['malformed', 'bad'],
  ['ignored', 'soft'],
]);
