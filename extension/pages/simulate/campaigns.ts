import type { RandomSource } from '../../../src/privacy/random-source';
import { randomizedResponse, randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import type { Campaign } from '../explain/cell-errors';
import { cellMoments } from '../explain/cell-moments';
import { check, type Draft } from '../explain/workbench';

/** Campaigns that differ in their noise only. */
export interface Campaigns {
  readonly truth: number;
  /** Draws the noise of another, and estimates without bias how many sources have a report in the first cell. */
  readonly next: () => number;
}

/**
 * Draws each source as the engine does. The first cell is the first window of the first trigger data.
 * @throws RangeError for a draft without a source that has trigger data
 */
export function campaigns(draft: Draft, { sources, share }: Campaign, random: RandomSource): Campaigns {
  const { source } = check(draft);
  if (source === null || source.triggerSpecs.length === 0)
    throw new RangeError('a source with trigger data was expected');
  const space = new ReportSpace(shapeOf(source));
  const respond = randomizedResponse(space.states, source.eventLevelEpsilon);
  const rate = randomizedTriggerRate(space.states, source.eventLevelEpsilon);
  const { mean } = cellMoments(shapeOf(source), 0);
  const truth = Math.round(sources * share);
  const reported = (hasReport: boolean): number => {
    const response = respond(random);
    if (response.kind === 'truthful') return hasReport ? 1 : 0;
    return (space.decode(response.state)[0] ?? []).filter((window) => window === 0).length;
  };
  return {
    truth,
    next: () => {
      let reports = 0;
      for (let index = 0; index < sources; index++) reports += reported(index < truth);
      return (reports - sources * rate * mean) / (1 - rate);
    },
  };
}
