/** The intervals of more groups would take too long. */
export const MOST_GROUPS = 1000;
