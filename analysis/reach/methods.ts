/** How people are counted. */
export const reachMethods = ['exact', 'discrete-laplace', 'sketch', 'flipped-sketch'] as const;

export type ReachMethod = (typeof reachMethods)[number];
