/** Cointoss did not exist earlier; a device with a reset clock sends earlier times. */
export const EARLIEST = Date.UTC(2020, 0);
