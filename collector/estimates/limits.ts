/** Groups beyond so many are more than anybody reads, and their intervals take longer than anybody waits. */
export const MOST_GROUPS = 1000;
