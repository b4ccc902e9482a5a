import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import type { Tally } from '../simulation/tally';
import type { Count, RunResult } from './result';

/** What measures the people of one run, one after another. */
export interface Measurement {
  /** @param random the person's own randomness. */
  add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void>;
  result(): RunResult;
}

export const countsOf = (tally: Tally): readonly Count[] =>
  tally
    .entries()
    .flatMap(([section, kinds]) => kinds.map(([kind, count]) => ({ what: `${section} ${kind}`, count })))
    .sort((a, b) => (a.what < b.what ? -1 : 1));
