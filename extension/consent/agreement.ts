import type { Json } from '../../src/model/json';
import type { Settings } from '../../formats/settings/settings';
import type { Trial } from '../../formats/settings/trial';
import type { Moment } from '../../src/model/units';
import type { BudgetHistory } from './budget-history';

/** `declining`, `withdrawing`: the records are still to be erased, if necessary after a restart. */
export type Answer = 'accepted' | 'declined' | 'declining' | 'withdrawing';

/** A person's answer when asked whether Cointoss may record, and what they were asked. */
export interface Agreement {
  readonly answer: Answer;
  /** On the device's clock. */
  readonly time: number;
  /** The trial's configuration as shown; null: Cointoss without a trial. The key that signed it is pinned by it. */
  readonly trial: Json | null;
  /** A policy set the trial. Without that policy, the agreement is to nothing. */
  readonly managed?: true;
  /** Of a changed trial; else its budget counts from `time`. */
  readonly budgets?: BudgetHistory;
}

/**
 * | status        | records | sends |
 * | ------------- | ------- | ----- |
 * | `unanswered`  | no      | no    |
 * | `declined`    | no      | no    |
 * | `not-started` | no      | yes   |
 * | `recording`   | yes     | yes   |
 * | `ended`       | no      | yes   |
 */
export type ConsentStatus = 'unanswered' | 'declined' | 'not-started' | 'recording' | 'ended';

/** @param answer to exactly this trial, or to Cointoss without one; null if there is none */
export function consentStatusOf(answer: Answer | null, trial: Trial | null, now: Moment): ConsentStatus {
  if (answer === null || answer === 'withdrawing') return 'unanswered';
  if (answer !== 'accepted') return 'declined';
  if (trial === null) return 'recording';
  if (isOver(trial, now)) return 'ended';
  return trial.start !== null && now < trial.start ? 'not-started' : 'recording';
}

/** Whether the trial records nothing any more and nobody can join. */
export const isOver = ({ end }: { readonly end: number }, now: number): boolean => now >= end;

/** Null if the person agreed to Cointoss without a trial. */
export function trialIdOf({ trial }: Agreement): string | null {
  // Not `parseTrial`: this version may refuse what an earlier one accepted.
  if (typeof trial !== 'object' || trial === null || !('id' in trial)) return null;
  return typeof trial.id === 'string' ? trial.id : null;
}

/**
 * The trial's settings, except those that stay the person's.
 * @param rehearsal whether developers may use debug mode before the start
 */
export const settingsInTrial = (trial: Trial, own: Settings, rehearsal: boolean): Settings => ({
  ...trial.settings,
  paused: own.paused,
  pausedSites: own.pausedSites,
  debug: rehearsal ? own.debug : trial.settings.debug,
});

/** The settings that a person may change while they take part. */
export const freeInTrial = (rehearsal: boolean): readonly string[] => [
  'paused',
  'pausedSites',
  ...(rehearsal ? ['debug'] : []),
];

/** The settings in `change` that nobody may change while they take part. */
export function lockedIn(change: Json, rehearsal: boolean): readonly string[] {
  if (typeof change !== 'object' || change === null) return [];
  return Object.keys(change).filter((name) => !freeInTrial(rehearsal).includes(name));
}
