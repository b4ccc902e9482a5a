/** Why a group has no rank. */
export const unrankedReasons = ['uncovered', 'windows', 'unsure', 'others', 'alone'] as const;

export type Unranked = (typeof unrankedReasons)[number];
