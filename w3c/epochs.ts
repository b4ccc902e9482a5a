import { days, hours, moment, type Moment } from '../src/model/units';
import type { RandomSource } from '../src/privacy/random-source';
import { uniformBelow } from '../src/privacy/uniform';
import type { Draft } from './documents';
import { EPOCH, type ApiLimits } from './limits';

/** Randomness by the number of a call; 0 for the start of the epochs. */
export type RandomOfCall = (call: number) => RandomSource;

const HOUR = hours(1);
const HOURS_OF_EPOCH = BigInt(EPOCH / HOUR);

/** Tells in which epoch a moment is. */
export class Epochs {
  private readonly start: Moment;

  /**
   * The first epoch starts at an hour of the week that is drawn. (The specification subtracts a part of a week and rounds to an hour, which
   * gives each hour of the week the same probability, too.)
   * @param now from which the first epoch is drawn, if there is none yet
   */
  constructor(draft: Draft, now: Moment, random: RandomOfCall) {
    this.start = draft.state.epochStart ?? hourBefore(now, uniformBelow(random(0), HOURS_OF_EPOCH));
    draft.state = { ...draft.state, epochStart: this.start };
  }

  /** W3C Attribution, "get the current epoch". */
  of(time: number): number {
    return epochOf(this.start, time);
  }

  /** W3C Attribution, "get the starting epoch for attribution". */
  first(now: Moment, { maxLookbackDays }: ApiLimits, lastClear: Moment | null): number {
    const first = this.of(now - days(maxLookbackDays));
    return lastClear === null ? first : Math.max(first, this.of(lastClear) + 1);
  }
}

/** @param start of the first epoch */
export const epochOf = (start: Moment, time: number): number => Math.floor((time - start) / EPOCH);

const hourBefore = (time: Moment, count: bigint): Moment =>
  moment((Math.floor(time / HOUR) - Number(count)) * HOUR);
