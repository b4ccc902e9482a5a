/** Why a group has no rank. */
export const unrankedReasons = ['uncovered', 'windows', 'unsure', 'alone'] as const;

export type Unranked = (typeof unrankedReasons)[number];
