import type { JsonObject } from '../../../src/model/json';

/** A joint budget with equal quotas. */
export const jointly = (whole: number, quota = whole): JsonObject => ({
  epsilon: whole,
  reportingSite: quota,
  sourceSite: quota,
  destination: quota,
});

/** The settings of trials that are not about budgets: theirs refuses nothing. */
export const unlimited: JsonObject = { budget: { joint: jointly(1e6) } };
