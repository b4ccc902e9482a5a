/** Cointoss did not exist earlier; a device with a reset clock sends earlier times. */
const EARLIEST = Date.UTC(2020, 0);

/** Debug mode turns the clock forward by days or weeks. */
const MAX_AHEAD_MILLISECONDS = 366 * 24 * 3_600_000;

/**
 * Whether a registration or a report can have this time.
 * @param time in milliseconds since 1970
 * @param now null: any future time is plausible
 */
export const isRecent = (time: number, now: Date | null): boolean =>
  time >= EARLIEST && (now === null || time <= now.getTime() + MAX_AHEAD_MILLISECONDS);
