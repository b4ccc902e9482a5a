import { alikeNames } from '../../analysis/estimate/result/alike-names';
import type { UnrankedNote } from '../../analysis/estimate/result/comparison';
import { pairLevel, pairsOf, type Rank } from '../../analysis/estimate/intervals/ranks';
import { estimates as messages } from '../../words/english/estimates';
import { sayer } from '../../words/say';
import { duration, inBrief } from './cells';

/* What tables say about ranks, and about what is unknown. */

const say = sayer('en', messages);

export const rankText = (rank: Rank | null): string =>
  rank === null ? '–' : rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`;

/** Why a group has no rank, or what else to know of it. */
export function noteText(note: UnrankedNote): string {
  if (note.id !== 'unranked-windows') return say(note.id, { ...note });
  return say(note.id, { windows: durations(note.windows), usual: durations(note.usual) });
}

export const ALIKE_SOURCES = `  ${say('alike-sources', {})}`;

/** @param names of the groups of one column */
export const alikeLines = (names: Iterable<string>): readonly string[] =>
  alikeNames(names).map((alike) =>
    say('alike-names', {
      names: alike.names.map((name) => JSON.stringify(name)).join(', '),
      more: alike.more,
    }),
  );

export const durations = (ends: readonly number[]): string => ends.map(duration).join(' or ');

/** One line, or none if the group is tied with no other. @param tied the names of the first others */
export function tiedLines(name: string, rank: Rank | null, tied: readonly string[]): readonly string[] {
  if (rank === null || tied.length === 0) return [];
  const others = rank.tied - tied.length;
  return [`  ${name}: tied with ${tied.join(', ')}${others > 0 ? ` and ${others} others` : ''}`];
}

/** @param ranked how many groups have a rank @param level of all comparisons together */
export const ranksMeaning = (ranked: number, level: number): string =>
  `  ${say('ranks-meaning', {
    pairs: pairsOf(ranked),
    level: probability(level),
    pairLevel: probability(pairLevel(level, ranked)),
  })}`;

const probability = (share: number): string => `${inBrief(share * 100)} %`;
