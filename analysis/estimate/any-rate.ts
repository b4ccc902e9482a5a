import type { Interval } from './interval';

/** Whether a conversion rate can be any: too few sources are known to say more, so no estimate is shown. */
export const isAnyRate = ([low, high]: Interval): boolean => low <= 0 && high >= 1;
