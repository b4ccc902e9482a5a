import type { UnrankedNote } from '../../analysis/estimate/comparison';
import { pairLevel, pairsOf, type Rank } from '../../analysis/estimate/ranks';
import { estimates as messages } from '../../words/english/estimates';
import { sayer } from '../../words/say';
import { duration, inBrief } from './cells';

/* What tables say about ranks. */

const say = sayer('en', messages);

export const rankText = (rank: Rank | null): string =>
  rank === null ? '–' : rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`;

/** Why a group has no rank, or what else to know of it. */
export function noteText(note: UnrankedNote): string {
  if (note.id !== 'unranked-windows') return say(note.id, { ...note });
  return say(note.id, { windows: durations(note.windows), usual: durations(note.usual) });
}

export const durations = (ends: readonly number[]): string => ends.map(duration).join(' or ');

const MOST_NAMES = 5;

/** One line, or none if the group is tied with no other. */
export function tiedLines(name: string, tied: readonly string[]): readonly string[] {
  if (tied.length === 0) return [];
  const names =
    tied.length <= MOST_NAMES
      ? tied.join(', ')
      : `${tied.slice(0, MOST_NAMES).join(', ')} and ${tied.length - MOST_NAMES} others`;
  return [`  ${name}: tied with ${names}`];
}

/** @param ranked how many groups have a rank @param level of all comparisons together */
export const ranksMeaning = (ranked: number, level: number): string =>
  `  ${say('ranks-meaning', {
    pairs: pairsOf(ranked),
    level: probability(level),
    pairLevel: probability(pairLevel(level, ranked)),
  })}`;

const probability = (share: number): string => `${inBrief(share * 100)} %`;
