import type { SingleDecision } from '../../src/model/decision';
import type { FinishedReport } from '../../src/model/records';
import { english } from '../../words/english';
import type { ReplayOutcome } from '../scenario/replay';

/** What is counted, by kind or by reason. */
export const sections = [
  'sources',
  'sources_rejected',
  'sources_over_budget',
  'sources_invalid',
  'noise',
  'mechanism_fallbacks',
  'setting_effects',
  'triggers',
  'triggers_dropped',
  'triggers_invalid',
  'responses_ignored',
  'reports',
  'warnings',
] as const;

export type Section = (typeof sections)[number];

/**
 * Reasons quote the input, so there can be any number of them. The first in the order of their text are counted, and the rest count as one: so the
 * tally of the whole follows from those of its parts.
 */
const MAX_REASONS = 100;
const OTHERS = '(others)';

/** Counts outcomes of registrations and reports. Tallies of parts add up to the tally of the whole. */
export class OutcomeCounter {
  private readonly counts = new Map<Section, Map<string, number>>();

  add(section: Section, kind: string, count = 1): void {
    const kinds = this.counts.get(section) ?? new Map<string, number>();
    this.counts.set(section, kinds);
    const known = kinds.get(kind);
    kinds.set(kind, (known ?? 0) + count);
    if (known === undefined && kinds.size > MAX_REASONS) leaveOutLast(kinds);
  }

  /** The counts by kind, in the order of their text. */
  of(section: Section): ReadonlyMap<string, number> {
    return new Map([...(this.counts.get(section) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** All counts, to pass to another thread or a file. */
  entries(): OutcomeCounts {
    return [...this.counts].map(([section, kinds]) => [section, [...kinds]]);
  }

  addAll(entries: OutcomeCounts): void {
    for (const [section, kinds] of entries) for (const [kind, count] of kinds) this.add(section, kind, count);
  }

  addOutcome(outcome: ReplayOutcome): void {
    switch (outcome.kind) {
      case 'ignored':
        this.add('responses_ignored', english.mistakeText(outcome.reason));
        return;
      case 'refused':
        for (const error of outcome.errors.slice(0, 1))
          this.add(`${outcome.register}s_invalid`, english.issueText(error));
        return;
      case 'source':
        if (outcome.decision.kind === 'rejected') this.add('sources_rejected', outcome.decision.reason);
        else {
          const { noise, overBudget } = outcome.decision;
          this.add('noise', noise.kind);
          for (const check of outcome.checks)
            if (check.id === 'mechanism' && check.values.applies !== 'yes')
              this.add('mechanism_fallbacks', english.check(check));
          if (overBudget !== undefined) this.add('sources_over_budget', overBudget.id);
        }
        this.add('sources', outcome.decision.kind);
        return;
      case 'trigger':
        if (outcome.decision.kind === 'split') {
          this.add('triggers', 'split');
          for (const share of outcome.decision.shares) this.addShare(share.decision);
        } else this.addDecision(outcome.decision);
    }
  }

  /** Counts reports by outcome: `delivered`, `replaced`, `given-up`, … */
  addFinished(finished: readonly FinishedReport[]): void {
    for (const { end } of finished) this.add('reports', end);
  }

  private addDecision(decision: SingleDecision): void {
    this.add('triggers', decision.kind);
    if (decision.kind === 'dropped') this.add('triggers_dropped', decision.reason);
  }

  /** A split conversion is one trigger, but has an outcome for each share. */
  private addShare(decision: SingleDecision): void {
    this.add('triggers', ofShare(decision.kind));
    if (decision.kind === 'dropped') this.add('triggers_dropped', decision.reason);
  }
}

const OF_SHARE = 'share ';
const ofShare = (kind: string): string => `${OF_SHARE}${kind}`;

/** Whether triggers of this kind are shares of others. */
export const isOfShare = (kind: string): boolean => kind.startsWith(OF_SHARE);

/** The result of `OutcomeCounter.entries`: sections and their kinds, each in order of first count. */
export type OutcomeCounts = readonly (readonly [Section, readonly (readonly [string, number])[]])[];

function leaveOutLast(kinds: Map<string, number>): void {
  const named = [...kinds.keys()].filter((kind) => kind !== OTHERS);
  if (named.length <= MAX_REASONS) return;
  const last = named.reduce((a, b) => (a > b ? a : b));
  kinds.set(OTHERS, (kinds.get(OTHERS) ?? 0) + (kinds.get(last) ?? 0));
  kinds.delete(last);
}
