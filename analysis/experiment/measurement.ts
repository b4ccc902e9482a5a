import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { sections, type OutcomeCounter } from '../simulation/outcome-counter';
import type { Count, RunResult } from './result';

/** Measures the people of one run, one after another. */
export interface Measurement {
  /**
   * @param random the person's own randomness.
   * @param maker a forger adds no noise, and has no budget.
   */
  add(
    events: readonly ScenarioEvent[],
    random: (stream: number) => RandomSource,
    maker?: 'browser' | 'forger',
  ): Promise<void>;
  result(): RunResult;
}

export const countsOf = (tally: OutcomeCounter): readonly Count[] =>
  sections.flatMap((section) => [...tally.of(section)].map(([kind, count]) => ({ section, kind, count })));
