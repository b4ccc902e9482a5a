import { canonical, type Json, type JsonObject } from '../model/json';
import type { Settings } from '../model/settings';
import type { Agreement, Answer, Standing, Trial } from '../model/trial';
import type { Moment } from '../model/units';
import { parseTrial } from './parse-trial';

/** Whether an agreement covers what is asked, so that nobody is asked again. An earlier end asks for less. */
export function covers(agreed: Json | null, asked: Json | null): boolean {
  if (agreed === null || asked === null) return agreed === asked;
  const [before, now] = [parseTrial(agreed).value, parseTrial(asked).value];
  if (before === null || now === null) return false;
  return now.end <= before.end && canonical(withoutEnd(agreed)) === canonical(withoutEnd(asked));
}

/** @param answer to exactly this trial, or to Cointoss without one; null if there is none */
export function standingOf(answer: Answer | null, trial: Trial | null, now: Moment): Standing {
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

function withoutEnd(trial: Json): Json {
  const fields = Object.entries(trial as JsonObject);
  return Object.fromEntries(fields.filter(([name]) => name !== 'end'));
}
